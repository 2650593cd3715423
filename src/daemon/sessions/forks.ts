import { supportsFork } from '../../agents/acp/opening.ts';
import { canFork, canForkAt, findForkPlace, type ForkPlace } from '../../agents/shared/forking.ts';
import type { SessionHandle } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import { titleOf } from '../../engine/sessions/newSession.ts';
import { failures } from '../../engine/failures/failures.ts';
import type { ObservedHistory } from '../../engine/import/importObserved.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { ObservedSources } from '../sources/observedSources.ts';

const pageSize = 500;

interface ForksDeps {
  readonly engine: Pick<Engine, 'archive'>;
  readonly sources: Pick<ObservedSources, 'historyOf'>;
  readonly open: (sessionId: string) => Promise<SessionHandle>;
}

interface Plan {
  readonly summary: SessionSummary;
  /** All entries before the prompt. */
  readonly before: readonly NormalizedEntry[];
  readonly prompt: string;
  /** Where the agent itself can fork the conversation. */
  readonly native: { readonly history: ObservedHistory; readonly place: ForkPlace } | undefined;
}

interface WholePlan {
  readonly entries: readonly NormalizedEntry[];
  /** What the agent stored, if it can fork that. */
  readonly history: ObservedHistory | undefined;
  /** The agent's id of the conversation, if it offers to fork it through its protocol. */
  readonly forkOf: string | undefined;
}

/** Begins sessions that continue other ones apart from them, from their end or from a prompt. */
export class Forks {
  readonly #deps: ForksDeps;

  constructor(deps: ForksDeps) {
    this.#deps = deps;
  }

  /** How a fork at a prompt, or at the end, gets what came before it. @throws EngineFailure */
  async plan(sessionId: string, at?: number): Promise<ResultOf<'planFork'>> {
    if (at === undefined) {
      const { entries, history, forkOf } = await this.#planWhole(sessionId);
      const isNative = history !== undefined || forkOf !== undefined;
      return { way: isNative ? 'conversation' : entries.some(isMessage) ? 'transcript' : 'nothing', prompt: '' };
    }
    const { before, prompt, native } = await this.#planFork(sessionId, at);
    const isNative = native !== undefined && native.place.last !== null;
    return { way: isNative ? 'conversation' : before.some(isMessage) ? 'transcript' : 'nothing', prompt };
  }

  /**
   * Creates the record of a fork, from which it is resumed with `prompt`. `at`: without this prompt and what follows.
   * @throws EngineFailure
   */
  async create(origin: SessionSummary, place?: { readonly at: number; readonly prompt: string }): Promise<string> {
    const { engine } = this.#deps;
    if (place === undefined) {
      const { entries, history, forkOf } = await this.#planWhole(origin.session_id);
      const whole =
        history === undefined
          ? await engine.archive.forkRecorded(entries, origin, forkOf)
          : await engine.archive.forkObserved(history, origin);
      return whole.session_id;
    }
    const { before, native, ...plan } = await this.#planFork(origin.session_id, place.at);
    const summary = { ...plan.summary, title: titleOf(place.prompt) };
    const forked =
      native === undefined || native.place.last === null
        ? await engine.archive.forkRecorded(before, summary)
        : await engine.archive.forkObserved(native.history, summary, native.place);
    return forked.session_id;
  }

  async #planWhole(sessionId: string): Promise<WholePlan> {
    const { summary, entries } = await this.#read(sessionId);
    const { executor_type: type, executor_session_id: conversation, agent_version: version } = summary;
    const history = canFork(type, version) ? await this.#deps.sources.historyOf(summary) : undefined;
    const greeting = entries.findLast(({ metadata }) => metadata?.['agentCapabilities'] !== undefined);
    const isOffered = type === 'acp' && supportsFork(greeting?.metadata?.['agentCapabilities']);
    return { entries, history, forkOf: isOffered ? conversation : undefined };
  }

  async #read(sessionId: string): Promise<Pick<Plan, 'summary'> & Pick<WholePlan, 'entries'>> {
    const handle = await this.#deps.open(sessionId);
    try {
      const entries: NormalizedEntry[] = [];
      for (let from = 0; from < handle.entryCount(); from += pageSize)
        entries.push(...(await handle.read(from, Math.min(from + pageSize, handle.entryCount()))));
      return { summary: handle.summary(), entries };
    } finally {
      handle.dispose();
    }
  }

  async #planFork(sessionId: string, at: number): Promise<Plan> {
    const { summary, entries } = await this.#read(sessionId);
    const [prompt, ...later] = entries.slice(at).filter(isPrompt);
    if (prompt?.index !== at) throw failures.notAPrompt(at);
    const texts = [prompt, ...later].map(({ content }) => content);
    return {
      summary,
      before: entries.slice(0, at),
      prompt: prompt.content,
      native: await this.#planNativeFork(summary, texts),
    };
  }

  async #planNativeFork(summary: SessionSummary, texts: readonly string[]): Promise<Plan['native']> {
    if (!canForkAt(summary.executor_type, summary.agent_version)) return undefined;
    const history = await this.#deps.sources.historyOf(summary);
    const place = history === undefined ? undefined : findForkPlace(history.entries, texts);
    if (history === undefined || place === undefined) return undefined;
    // A thread of Codex that was forked does not have the turns of the other one.
    const isWhole = history.facts.parent === null || summary.executor_type === 'claude-code';
    return place.last === null && !isWhole ? undefined : { history, place };
  }
}

function isPrompt({ type, metadata }: NormalizedEntry): boolean {
  return type.kind === 'user_message' && metadata?.parentCallId === undefined;
}

function isMessage({ type }: NormalizedEntry): boolean {
  return type.kind === 'user_message' || type.kind === 'assistant_message' || type.kind === 'tool_use';
}
