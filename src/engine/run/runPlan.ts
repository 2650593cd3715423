import type { Presence } from '../requests/countdown.ts';
import type { DialogueFactory } from '../../agents/dialogue.ts';
import type { RecordedRun } from '../../formats/record.ts';
import type { Origin } from '../../model/transcript/entry.ts';
import type { Normalizer, NormalizerContext } from '../../model/transcript/normalizer.ts';
import type { Session } from '../../model/session/session.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import type { RunBudget } from '../budget/runBudget.ts';
import type { Log } from '../api.ts';
import type { FiguresContext } from './runFigures.ts';
import type { SideFiles } from '../output/sideFiles.ts';
import type { FolderWatch } from '../snapshot/watch.ts';
import type { Note } from './note.ts';

export interface Launched {
  readonly process: AgentProcess;
  /** The id that the agent will use, where we chose it. */
  readonly sessionId: string | null;
  readonly program: string;
  readonly version: string | null;
  /** What the agent writes beside its output. */
  readonly side?: SideFiles;
  /** A line of the agent's own store that its output lacks; `null` where there is none. Never rejects. */
  readonly stored?: (conversationId: string | undefined) => Promise<string | null>;
  /** Speaks with the process, whose input is open. */
  readonly dialogue?: DialogueFactory;
}

export interface RunPlan {
  readonly run: RecordedRun;
  readonly runnerId: string;
  readonly label: string;
  readonly workDir: string;
  /** What the agent is given: the prompt, or more. */
  readonly agentPrompt: string;
  /** Who caused the prompt. */
  readonly promptOrigin: Origin;
  /** System messages between the prompt and the output. */
  readonly notes: readonly Note[];
  readonly figures: Omit<FiguresContext, 'agentVersion'>;
  /** Ids of the conversation that a new one replaces, once it has answered. */
  readonly replacedIds?: ReplacedIds;
  /** Ids to resume by, tried in this order; `null` is a new conversation. None: nothing is launched. */
  readonly attempts: readonly (string | null)[];
  readonly budget: RunBudget;
  /** Looks for changes that no tool call reports; absent: no one does. */
  readonly watch?: FolderWatch;
  createNormalizer(context: NormalizerContext): Normalizer;
  /** @throws EngineFailure */
  launch(resume: string | null): Promise<Launched>;
}

/** As the session holds them. */
export type ReplacedIds = Pick<Session, 'executor_session_id' | 'executor_session_ids'>;

/** Milliseconds where not said otherwise. */
export interface RunDeps {
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly log: Log;
  readonly silenceMs: number;
  /** Before a request that no one answered is denied. */
  readonly requestMs: number;
  /** Without output, for an agent to end on its own once its input is closed. */
  readonly closeMs: number;
  /** For an agent to begin a turn on its own. */
  readonly goOnMs: number;
  /** For an agent that is stopped by word to end its turn. */
  readonly turnMs: number;
  /** Someone can be asked. */
  readonly presence?: Presence | undefined;
  readonly interactive: boolean;
}
