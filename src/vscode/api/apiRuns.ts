import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { AgentOptions } from '../../agents/adapter.ts';
import { isBypass } from '../../agents/choices.ts';
import { findAdapter } from '../../agents/registry.ts';
import type { SessionHandle, WindowEngine } from '../engine/windowEngine.ts';
import { AgentExecutor as Reader } from '../../engine/launch/agentExecutor.ts';
import { rawChunks, rawText } from '../../engine/output/rawOutput.ts';
import { resultEvents } from '../../formats/resultEvents.ts';
import type { Limits } from '../../model/usage/budget.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import type { BlueprintRuns } from '../agents/blueprintRuns.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { withChoice } from '../../agents/withChoice.ts';
import type { RunMemory } from '../run/runMemory.ts';
import { agentOptions } from '../settings/settings.ts';
import { ApiError } from './apiError.ts';
import { checkRunOptions, type CheckedOptions } from './runOptions.ts';
import type { AgentInfo, RunResult } from './types/runs.d.ts';
import type { NormalizedEntry } from './types/transcript.d.ts';
import type { Chunk, NormalizeOptions, SpawnedTask } from './types/vitrine.d.ts';

export interface ApiRunsDeps {
  readonly engines: EngineHost;
  readonly memory: RunMemory;
  readonly blueprints: BlueprintRuns;
}

interface StartedRun {
  readonly handle: SessionHandle;
  readonly runId: string;
  readonly firstIndex: number;
  readonly includeEvents: boolean;
}

/** For the chunks of a task: its executor, and the agent's id of the conversation once the session knows it. */
const identified = new WeakMap<object, { readonly type: ExecutorType; readonly sessionId: () => string | null }>();

/** Starts runs for other extensions, without dialogs. They cannot skip approvals or raise budgets. */
export class ApiRuns {
  readonly #deps: ApiRunsDeps;

  constructor(deps: ApiRunsDeps) {
    this.#deps = deps;
  }

  async run(prompt: unknown, options: unknown): Promise<RunResult> {
    const started = await this.#begin(prompt, options);
    return this.#readResult(started);
  }

  /** As `run`, but returns while the run continues, with its output. */
  async spawn(prompt: unknown, options: unknown): Promise<SpawnedTask> {
    const started = await this.#begin(prompt, options);
    const { handle, runId } = started;
    const { id } = handle;
    return {
      session: id,
      sessionId: handle.summary().executor_session_id ?? null,
      process: {
        get output() {
          const chunks = rawChunks(handle, runId);
          const { executor_type: type = 'claude-code' } = handle.summary();
          identified.set(chunks, { type, sessionId: () => handle.summary().executor_session_id ?? null });
          return chunks;
        },
        done: this.#readResult(started),
        stop: async () => (await this.#deps.engines.get()).stop(id),
      },
    };
  }

  /** `requested`: the executor; if absent, it follows from the chunks. */
  async *read(
    requested: ExecutorType | undefined,
    chunks: AsyncIterable<Chunk>,
    workDir: string,
    options: NormalizeOptions = {},
  ): AsyncGenerator<NormalizedEntry, void, undefined> {
    const known = identified.get(chunks);
    const type = requested ?? known?.type;
    if (type === undefined) throw new ApiError('request_invalid', 'These chunks are not from a task of this executor.');
    const adapter = findAdapter(type);
    if (adapter === undefined) throw new ApiError('request_invalid', `Unknown executor: "${type}".`);
    const settledOnly = options.settledOnly === true;
    const reading = { settledOnly, ...(known !== undefined && { sessionId: known.sessionId }) };
    yield* new Reader(adapter).normalizeOutput(withTimes(chunks), workDir, reading);
  }

  async agents(): Promise<AgentInfo[]> {
    const [{ executorOf }, engine, files] = await Promise.all([
      import('../../engine/blueprints/request.ts'),
      this.#deps.engines.get(),
      this.#deps.blueprints.all(),
    ]);
    const programs = (await engine.agents()).filter(({ recording }) => !recording);
    return [
      ...programs.map(({ label, type, profile, program }) => ({
        label,
        agent: type,
        ...(profile !== undefined && { profile }),
        available: program === null || !('message' in program),
      })),
      ...files.map(({ name, agent }) => ({
        label: name,
        agent: agent === null ? ('claude-code' as const) : executorOf(agent),
        ...(agent?.executor_profile !== undefined && { profile: agent.executor_profile }),
        agentFile: name,
        available: agent?.status === 'active',
      })),
    ];
  }

  /** @throws ApiError, EngineFailure */
  async #begin(givenPrompt: unknown, givenOptions: unknown): Promise<StartedRun> {
    const { prompt, options } = checkRunOptions(givenPrompt, givenOptions);
    const { token } = options;
    if (token?.isCancellationRequested === true) throw new ApiError('cancelled', 'It was cancelled before it started.');
    const engine = await this.#deps.engines.get();
    const handle = await (options.resume === undefined
      ? this.#start(engine, prompt, options)
      : this.#resume(engine, prompt, options.resume, options));
    const cancelled = token?.onCancellationRequested(() => void engine.stop(handle.id));
    void handle.done.then(() => {
      cancelled?.dispose();
    });
    const turn = handle.turns().at(-1);
    return {
      handle,
      runId: turn?.runId ?? '',
      firstIndex: turn?.firstIndex ?? 0,
      includeEvents: options.includeEvents === true,
    };
  }

  async #start(engine: WindowEngine, prompt: string, options: CheckedOptions): Promise<SessionHandle> {
    if (options.agentFile !== undefined) return this.#startFile(engine, options.agentFile, prompt, options);
    const { agent = 'claude-code', profile, title, limits } = options;
    const folder = assertMayRun(agent, options.cwd ?? firstFolder(), options.permissionMode);
    return engine.start({
      agent,
      prompt,
      cwd: folder.fsPath,
      options: withOwn(agentOptions(agent, folder), options),
      ...(profile !== undefined && { profile }),
      ...(title !== undefined && { title }),
      ...toLimits(limits),
    });
  }

  async #startFile(
    engine: WindowEngine,
    name: string,
    prompt: string,
    options: CheckedOptions,
  ): Promise<SessionHandle> {
    const { agent, profile, title, limits, permissionMode: mode } = options;
    const folder = assertMayRun('claude-code', options.cwd ?? firstFolder(), undefined);
    const used = { prompt, cwd: folder.fsPath, options: (type: ExecutorType) => agentOptions(type, folder) };
    const request = await this.#deps.blueprints.start(name, used);
    if ((agent ?? request.agent) !== request.agent || (profile ?? request.profile) !== request.profile)
      throw new ApiError('request_invalid', `The agent "${name}" sets its own executor and profile.`);
    if (isBypass(request.agent, mode)) throw modeRefusedError(mode);
    return engine.start({
      ...request,
      options: withOwn(request.options ?? {}, options),
      ...(title !== undefined && { title }),
      ...toLimits(limits),
    });
  }

  async #resume(
    engine: WindowEngine,
    prompt: string,
    sessionId: string,
    options: CheckedOptions,
  ): Promise<SessionHandle> {
    const summary = (await engine.list()).find(
      ({ session_id: id, executor_session_ids: ids }) => id === sessionId || ids.includes(sessionId),
    );
    if (summary === undefined) throw new ApiError('session_unknown', `Vitrine has no session ${sessionId}.`);
    const { session_id: id, executor_type: type = 'claude-code', project_dir: cwd } = summary;
    if (options.agent !== undefined && options.agent !== type)
      throw new ApiError('request_invalid', `Session ${id} is a ${type} session.`);
    const folder = assertMayRun(type, cwd, options.permissionMode);
    const { blueprints, memory } = this.#deps;
    const applyOverrides = (set: AgentOptions) => withOwn(withChoice(set, memory.choiceOfSession(id)), options);
    const planned = await blueprints.resume(summary, { prompt, settings: agentOptions(type, folder), applyOverrides });
    return engine.resume(id, { ...planned, ...toLimits(options.limits) });
  }

  async #readResult({ handle, runId, firstIndex, includeEvents }: StartedRun): Promise<RunResult> {
    const result = await handle.done;
    const paths = handle.rawPath(runId);
    const [stdout, stderr] = await Promise.all([rawText(paths.stdout), rawText(paths.stderr)]);
    const events = includeEvents ? resultEvents(await handle.read(firstIndex, handle.entryCount())) : undefined;
    handle.dispose();
    return {
      success: false,
      ...result,
      stdout,
      stderr,
      session: handle.id,
      ...(events !== undefined && { events }),
    };
  }
}

const firstFolder = (): string | undefined => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;

/**
 * The folder to run in. @throws ApiError if agents may not run there. Recordings start no program and may play
 * anywhere.
 */
function assertMayRun(agent: ExecutorType, cwd: string | undefined, mode: string | undefined): vscode.Uri {
  if (agent === 'replay') return vscode.Uri.file(path.resolve(cwd ?? homedir()));
  if (cwd === undefined) throw new ApiError('folder_outside', 'No folder is open.');
  // Resolve `..` before checking the folder.
  const folder = vscode.Uri.file(path.resolve(cwd));
  if (!vscode.workspace.isTrusted)
    throw new ApiError('workspace_untrusted', 'Vitrine does not start agents in Restricted Mode.');
  if (vscode.workspace.getWorkspaceFolder(folder) === undefined)
    throw new ApiError('folder_outside', `${cwd} is not a folder of this workspace.`);
  if (isBypass(agent, mode)) throw modeRefusedError(mode);
  return folder;
}

function modeRefusedError(mode: string | undefined): ApiError {
  return new ApiError('mode_refused', `The mode "${mode ?? ''}" may skip approvals. Only a person can choose it.`);
}

function withOwn(settings: AgentOptions, { model, permissionMode }: CheckedOptions): AgentOptions {
  return withChoice(settings, {
    ...(model !== undefined && { model }),
    ...(permissionMode !== undefined && { permissionMode }),
  });
}

function toLimits(limits: CheckedOptions['limits']): { readonly limits?: Limits } {
  if (limits === undefined) return {};
  const pairs = Object.entries(limits).filter((pair): pair is [string, number] => pair[1] !== undefined);
  return { limits: Object.fromEntries(pairs) };
}

async function* withTimes(chunks: AsyncIterable<Chunk>) {
  for await (const { type, data, timestamp } of chunks)
    yield { type, data, ...(timestamp !== undefined && { timestamp }) };
}
