import path from 'node:path';
import type { AcpPreset } from '../../agents/acp/presets.ts';
import type { AgentAdapter, AgentOptions } from '../../agents/adapter.ts';
import { shellWord } from '../../agents/shared/describe.ts';
import {
  programLauncher,
  type AgentLauncher,
  type LaunchRequest,
  type LauncherDeps,
  type StartDialogue,
} from '../launch/agentLauncher.ts';
import type { AgentReport, EngineSettings } from '../api.ts';
import { failures } from '../failures/failures.ts';
import { acpAgents, type AcpAgent } from './profiles.ts';

interface AcpDeps extends LauncherDeps {
  readonly adapter: AgentAdapter;
  readonly settings: EngineSettings;
  /** Version of Vitrine. */
  readonly clientVersion: string;
}

/** `id`: of a profile. If it was removed from the settings, its sessions stay readable. */
export function acpLauncher(id: string | undefined, deps: AcpDeps): AgentLauncher {
  const agents = acpAgents(deps.settings);
  const agent = agents.find((acpAgent) => acpAgent.id === id);
  if (agent !== undefined) return sourceOf(agent, deps);
  const { adapter } = deps;
  return {
    label: id ?? adapter.label,
    recording: false,
    resumesById: true,
    createNormalizer: (context) => adapter.createNormalizer(context),
    prepare: () =>
      Promise.reject(
        failures.profileUnknown(
          adapter.label,
          id,
          agents.map((acpAgent) => acpAgent.id),
        ),
      ),
  };
}

export function acpReports(deps: AcpDeps): Promise<readonly AgentReport[]> {
  return Promise.all(
    acpAgents(deps.settings).map(async (agent) => {
      const source = sourceOf(agent, deps);
      const isConfigured = (deps.settings.acp ?? []).some(({ id }) => id === agent.id);
      const { preset } = agent;
      const own = preset === undefined || isConfigured ? {} : { sameAs: preset.sameAs };
      return { ...(await source.report()), profile: agent.id, ...own };
    }),
  );
}

function sourceOf(agent: AcpAgent, deps: AcpDeps) {
  const { label, preset, program, environment } = agent;
  const settings = { ...(program !== undefined && { program }), ...(environment !== undefined && { environment }) };
  const { clock, clientVersion } = deps;
  const shown = (file: string) => [path.basename(file), ...(agent.args ?? [])].map(shellWord).join(' ');
  const startDialogue: StartDialogue = async ({ request, resume, program: found, env }) => {
    const { AcpDialogue } = await import('./dialogue.ts');
    const { runId, cwd, prompt, options, forkOf } = request;
    const conversation = resume !== null ? { resume } : forkOf === undefined ? null : { fork: forkOf };
    const started = shown(found.path);
    const task = { prompt, cwd, conversation, options, preset, program: started, runId, env, clock, clientVersion };
    return (host) => new AcpDialogue(host, task);
  };
  const source = programLauncher(adapterOf(agent, deps.adapter), settings, deps, startDialogue);
  const cannotResume = resumeReason(preset);
  return {
    ...source,
    sessions: async (request: LaunchRequest, signal?: AbortSignal) => {
      const { listSessions } = await import('./sessionList.ts');
      const { process, program: file } = await (await source.prepare()).launch(request, null);
      const { cwd } = request;
      const task = { label, preset, cwd, program: shown(file), clientVersion, clock };
      return listSessions(process, { ...task, ...(signal !== undefined && { signal }) });
    },
    prepare: async () => {
      const prepared = await source.prepare();
      if (cannotResume === undefined) return prepared;
      return {
        ...prepared,
        launch: (...[request, resume]: Parameters<typeof prepared.launch>) => {
          if (resume !== null) throw failures.conversationUnnamed(label, cannotResume);
          return prepared.launch(request, resume);
        },
      };
    },
  };
}

/** Adapts the protocol's shared adapter to one agent. */
function adapterOf({ label, programs, args = [], preset }: AcpAgent, adapter: AgentAdapter): AgentAdapter {
  const reason = resumeReason(preset);
  const capabilities = reason === undefined ? {} : { resume: { supported: false, reason } };
  return {
    ...adapter,
    label,
    programs: programs ?? [],
    // Agents without a known version flag may take it as a prompt.
    versionArgs: preset?.versionArgs ?? [],
    capabilities: { ...adapter.capabilities, ...capabilities },
    command: (request) => {
      const command = adapter.command(request);
      return {
        ...command,
        args: [...args, ...command.args],
        warnings: [...command.warnings, ...ignoredOptionWarnings(request.options)],
      };
    },
  };
}

function resumeReason(preset: AcpPreset | undefined): string | undefined {
  return preset?.quirks.resume === 'none' ? `${preset.label} loses conversations when it loads them` : undefined;
}

function ignoredOptionWarnings({ maxTurns, maxBudgetUsd, maxAiCredits, appendSystemPrompt }: AgentOptions): string[] {
  const caps = { 'a turn limit': maxTurns, 'a cost limit': maxBudgetUsd, 'an AI credit limit': maxAiCredits };
  const limits = Object.entries(caps).filter(([, value]) => value !== undefined);
  const all = [...limits.map(([name]) => name), ...(appendSystemPrompt === undefined ? [] : ['a system prompt'])];
  return all.map((name) => `The Agent Client Protocol does not support ${name}, so it is ignored.`);
}
