import path from 'node:path';
import { acpPresets } from '../../agents/acp/presets.ts';
import type { AcpProfile } from '../../engine/api.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import { UsageError } from '../command.ts';

/** Profile of an agent given by its command. The session stores it; a resume needs the command again. */
const commandProfile = 'command-line';

export const acpProfileIds: readonly string[] = acpPresets.map(({ id }) => id);

export interface AcpChoice {
  /** Profile to start; absent if the session has it. */
  readonly profile?: string;
  readonly agents: readonly AcpProfile[];
}

/** ACP agent for the options of a command; `undefined` for other agents. */
export function acpChoice(values: {
  readonly agent: ExecutorType | undefined;
  readonly canResume: boolean;
  readonly profile: string | undefined;
  /** Absolute path. */
  readonly program: string | undefined;
  /** Arguments after the prompt. */
  readonly command: readonly string[];
  readonly cwd: string;
}): AcpChoice | undefined {
  const { agent, canResume, profile, program, command, cwd } = values;
  const [name, ...args] = command;
  if (agent !== 'acp' && !(agent === undefined && canResume)) {
    if (profile === undefined) return undefined;
    throw new UsageError('--profile applies only to Agent Client Protocol agents.', 'Add --agent acp.');
  }
  if (name !== undefined) {
    if (profile !== undefined)
      throw new UsageError('--profile and a command cannot be used together.', 'Use only one of them.');
    const where = /[\\/]/.test(name) ? { program: path.resolve(cwd, name) } : { programs: [name] };
    return { profile: commandProfile, agents: [{ id: commandProfile, label: path.basename(name), args, ...where }] };
  }
  if (profile === undefined) {
    if (canResume) return { agents: [] };
    throw new UsageError('Specify an Agent Client Protocol agent.', suggestion);
  }
  if (canResume && profile === commandProfile)
    throw new UsageError('This session was started with a command, so --program does not apply.', repeatCommand);
  const preset = acpPresets.find(({ id }) => id === profile);
  if (preset === undefined) throw new UsageError(`Unknown agent: "${profile}" (--profile).`, suggestion);
  const { id, label, args: own } = preset;
  return { profile, agents: program === undefined ? [] : [{ id, label, program, args: own }] };
}

const repeatCommand = 'Repeat the command of the agent after the prompt and "--".';
const suggestion = `Use --profile ${acpProfileIds.join(', ')}, or another command after the prompt and "--".`;
