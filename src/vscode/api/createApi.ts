import * as vscode from 'vscode';
import type { ExecutorType } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { isMarkedSynthetic } from '../../model/transcript/synthetic.ts';
import { ApiError } from './apiError.ts';
import type { ApiQueue } from './apiQueue.ts';
import type { ApiRuns, ApiRunsDeps } from './apiRuns.ts';
import type { RunOptions } from './types/runs.d.ts';
import type { NormalizedEntry, SessionEvent } from './types/transcript.d.ts';
import type {
  AgentExecutor,
  AgentFileConfig,
  AgentFileExecutor,
  AgentFileExecutorClass,
  Chunk,
  ExecutorConfig,
  HistoryOptions,
  NormalizeOptions,
  ProfileConfig,
  Queue,
  QueuedRun,
  QueueOptions,
  Session,
  SpawnedTask,
  Task,
  TaskProcess,
  VitrineApi,
} from './types/vitrine.d.ts';

/** The API for other extensions; `types/vitrine.d.ts` documents it. Loads nothing until it is used. */
export class PublicApi implements vscode.Disposable {
  readonly #deps: ApiRunsDeps;
  readonly #events = new vscode.EventEmitter<SessionEvent>();
  readonly #changed = new vscode.EventEmitter<Session>();
  readonly #queued = new vscode.EventEmitter<Omit<QueuedRun, 'prompt' | 'waiting'>>();
  #runs: Promise<ApiRuns> | undefined;
  #queue: Promise<ApiQueue> | undefined;
  #isSubscribedToQueue = false;

  constructor(deps: ApiRunsDeps) {
    this.#deps = deps;
    deps.engines.onCreated((engine) => {
      engine.onEvent((event) => this.#events.fire(event));
      engine.onSummary((summary) => this.#changed.fire({ ...summary }));
    });
  }

  readonly exports = (): VitrineApi => {
    const runs = (): Promise<ApiRuns> => this.#load();
    const onDidChange: Queue['onDidChange'] = (listener, self, disposables) => {
      this.#subscribeToQueue();
      return this.#queued.event(listener, self, disposables);
    };
    return Object.freeze<VitrineApi>({
      version: 1,
      executors: Object.freeze({
        ClaudeCodeExecutor: createExecutorClass('claude-code', runs),
        CodexExecutor: createExecutorClass('codex', runs),
        CopilotExecutor: createExecutorClass('copilot', runs),
        GeminiExecutor: createExecutorClass('gemini', runs),
        CursorExecutor: createExecutorClass('cursor', runs),
        AcpExecutor: createExecutorClass('acp', runs),
        AcpHttpExecutor: createExecutorClass('acp-http', runs),
        AgentFileExecutor: agentFileExecutorClass(runs),
      }),
      createOutputChunks: ({ output }: TaskProcess) => output,
      agents: async () => (await runs()).agents(),
      run: async (prompt, options) => (await runs()).run(prompt, options),
      sessions: Object.freeze({
        list: async () => (await this.#listSessions()).map((summary) => ({ ...summary })),
        get: async (id: string) => (await this.#listSessions()).find(({ session_id }) => session_id === id),
        entries: (id: string, from?: number, to?: number) => this.#readEntries(id, from, to),
        history: async (id: string, options?: HistoryOptions) =>
          (await this.#readEntries(id)).filter((entry) => isMessage(entry, options?.includeSynthetic === true)),
        open: async (id: string): Promise<void> => {
          await vscode.commands.executeCommand('vitrine.openSession', id);
        },
        stop: async (id: string) => (await this.#deps.engines.get()).stop(id),
        onDidChange: this.#changed.event,
      }),
      queue: Object.freeze({
        runs: async () => (await this.#loadQueue()).runs(),
        runners: async () => (await this.#loadQueue()).runners(),
        add: async (prompt: string, options?: QueueOptions) => (await this.#loadQueue()).add(prompt, options),
        stop: async (runId: string) => (await this.#loadQueue()).stop(runId),
        onDidChange,
      }),
      onEvent: this.#events.event,
    });
  };

  dispose(): void {
    this.#events.dispose();
    this.#changed.dispose();
    this.#queued.dispose();
  }

  async #listSessions(): Promise<readonly SessionSummary[]> {
    return (await this.#deps.engines.get()).list();
  }

  async #readEntries(id: string, from = 0, to = Infinity): Promise<readonly NormalizedEntry[]> {
    if (typeof id !== 'string') throw new ApiError('session_unknown', 'Not a session ID.');
    const handle = await (await this.#deps.engines.get()).open(id);
    try {
      return structuredClone(await handle.read(from, Math.min(to, handle.entryCount())));
    } finally {
      handle.dispose();
    }
  }

  /** Listening uses the queue, which makes this window a runner. */
  #subscribeToQueue(): void {
    if (this.#isSubscribedToQueue) return;
    this.#isSubscribedToQueue = true;
    this.#deps.engines.onCreated((engine) => {
      engine.queue.onRun((run) => this.#queued.fire({ ...run }));
    });
  }

  #loadQueue(): Promise<ApiQueue> {
    this.#queue ??= import('./apiQueue.ts').then(({ ApiQueue }) => new ApiQueue(this.#deps));
    return this.#queue;
  }

  #load(): Promise<ApiRuns> {
    this.#runs ??= import('./apiRuns.ts').then(({ ApiRuns }) => new ApiRuns(this.#deps));
    return this.#runs;
  }
}

/** Whether an entry is a message of a person or the agent in the main conversation. */
function isMessage({ type, metadata }: NormalizedEntry, includeSynthetic: boolean): boolean {
  if (type.kind !== 'user_message' && type.kind !== 'assistant_message') return false;
  return metadata?.parentCallId === undefined && (includeSynthetic || !isMarkedSynthetic(metadata));
}

function createExecutorClass(
  type: ExecutorType,
  runs: () => Promise<ApiRuns>,
): new (config?: ExecutorConfig | ProfileConfig) => AgentExecutor {
  return class extends Tasks implements AgentExecutor {
    readonly type = type;

    constructor(config: ExecutorConfig | ProfileConfig = {}) {
      super(runs, { ...config, agent: type }, type);
    }
  };
}

function agentFileExecutorClass(runs: () => Promise<ApiRuns>): AgentFileExecutorClass {
  return class extends Tasks {
    constructor(config: AgentFileConfig) {
      super(runs, config, undefined);
    }
  };
}

type TaskConfig = ExecutorConfig & Pick<RunOptions, 'agent' | 'profile' | 'agentFile'>;

/** Common base of all executors. */
class Tasks implements AgentFileExecutor {
  readonly #runs: () => Promise<ApiRuns>;
  readonly #config: TaskConfig;
  readonly #outputType: ExecutorType | undefined;

  /** `outputType`: executor whose output `normalizeOutput` reads; if absent, it reads only output of its own tasks. */
  constructor(runs: () => Promise<ApiRuns>, config: TaskConfig, outputType: ExecutorType | undefined) {
    this.#runs = runs;
    this.#config = config;
    this.#outputType = outputType;
  }

  executeTask(task: Task): Promise<SpawnedTask> {
    return this.#spawn(task, {});
  }

  resumeTask(task: Task, sessionId: string): Promise<SpawnedTask> {
    return this.#spawn(task, { resume: sessionId });
  }

  async *normalizeOutput(
    chunks: AsyncIterable<Chunk>,
    workDir: string,
    options?: NormalizeOptions,
  ): AsyncGenerator<NormalizedEntry, void, undefined> {
    yield* (await this.#runs()).read(this.#outputType, chunks, workDir, options);
  }

  async #spawn(task: Task, resumption: { readonly resume?: string }): Promise<SpawnedTask> {
    const {
      prompt,
      workDir: cwd,
      ...options
    } = { ...this.#config, ...(typeof task === 'string' ? { prompt: task } : task) };
    const where = cwd === undefined || resumption.resume !== undefined ? {} : { cwd };
    return (await this.#runs()).spawn(prompt, { ...options, ...where, ...resumption });
  }
}
