import path from 'node:path';
import { acpPresets } from '../../agents/acp/presets.ts';
import type { AcpProfile, AgentSettings } from '../../engine/api.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session/session.ts';
import type { GivenParams } from '../../protocol/daemon/calls.ts';
import { UsageError } from '../command.ts';

export type RaceAgents = GivenParams<'startRace'>['request']['agents'];

const aliases: Readonly<Record<string, ExecutorType>> = { claude: 'claude-code', demo: 'replay' };

/** `claude,codex:gpt-5,acp:goose`: agents, each with a model or, for `acp`, a profile after the colon. @throws UsageError */
export function raceAgents(lists: readonly string[], modes: readonly string[]): RaceAgents {
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim());
  const chosen = new Map(modes.map((mode) => pairOf('--permission-mode', mode)));
  return names
    .filter((name) => name !== '')
    .map((name) => {
      const [type = '', ...rest] = name.split(':');
      const detail = rest.join(':');
      const agent = agentOf('--agents', type);
      const permissionMode = chosen.get(agent);
      const options = {
        ...(agent !== 'acp' && detail !== '' && { model: detail }),
        ...(permissionMode !== undefined && { permissionMode }),
      };
      if (agent === 'acp' && !acpPresets.some(({ id }) => id === detail))
        throw new UsageError(
          `Unknown agent: "${name}" (--agents).`,
          `Available: ${acpPresets.map(({ id }) => `acp:${id}`).join(', ')}.`,
        );
      if (agent === 'acp-http')
        throw new UsageError(
          'Agents from an agent server cannot take part in a race (--agents).',
          'They cannot use git worktrees.',
        );
      return {
        agent,
        ...(agent === 'acp' && { profile: detail }),
        ...(Object.keys(options).length > 0 && { options }),
      };
    });
}

/** Programs by `AGENT=PATH`. @throws UsageError */
export function racePrograms(
  args: readonly string[],
  cwd: string,
): { readonly agents: Partial<Record<ExecutorType, AgentSettings>>; readonly acp: AcpProfile[] } {
  const agents: Partial<Record<ExecutorType, AgentSettings>> = {};
  const acp: AcpProfile[] = [];
  for (const agentName of args) {
    const [name, file] = pairOf('--program', agentName);
    const program = path.resolve(cwd, file);
    const preset = acpPresets.find(({ id }) => `acp:${id}` === name);
    if (preset === undefined) agents[agentOf('--program', name)] = { program };
    else acp.push({ id: preset.id, label: preset.label, args: preset.args, program });
  }
  return { agents, acp };
}

function agentOf(option: string, name: string): ExecutorType {
  const type = executorTypeSchema.safeParse(aliases[name] ?? name);
  if (type.success) return type.data;
  throw new UsageError(`Unknown agent: "${name}" (${option}).`, `Available: claude, codex, demo, ${types}.`);
}

const types = executorTypeSchema.options.filter((type) => type !== 'codex').join(', ');

/** The agent may be an alias. */
function pairOf(option: string, pair: string): [string, string] {
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (at < 1 || value === '') throw new UsageError(`"${pair}" is not valid (${option}).`, 'Use AGENT=VALUE.');
  return [aliases[name] ?? name, value];
}
