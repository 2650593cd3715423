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
import type { RunFolder } from './runFolder.ts';
import type { Note } from './note.ts';

export interface LaunchedAgent {
  readonly process: AgentProcess;
  /** Session id that the agent will use, if we chose it. */
  readonly sessionId: string | null;
  readonly program: string;
  readonly version: string | null;
  /** Files that the agent writes in addition to its output. */
  readonly sideFiles?: SideFiles;
  /** A line of the agent's own store that its output lacks; `null` if there is none. Never rejects. */
  readonly stored?: (conversationId: string | undefined) => Promise<string | null>;
  /** Talks to the process, whose input is open. */
  readonly dialogue?: DialogueFactory;
}

export interface RunPlan {
  readonly run: RecordedRun;
  readonly runnerId: string;
  readonly label: string;
  readonly workDir: string;
  /** Prompt for the agent, with added context. */
  readonly agentPrompt: string;
  /** Who caused the prompt. */
  readonly promptOrigin: Origin;
  /** Notes between the prompt and the output. */
  readonly notes: readonly Note[];
  readonly figures: Omit<FiguresContext, 'agentVersion'>;
  /** Ids of the conversation that a new one replaces after its first response. */
  readonly replacedIds?: ReplacedIds;
  /** Ids to resume by, in this order; `null` is a new conversation. Empty: nothing is launched. */
  readonly attempts: readonly (string | null)[];
  readonly budget: RunBudget;
  readonly folder: RunFolder;
  createNormalizer(context: NormalizerContext): Normalizer;
  /** @throws EngineFailure */
  launch(resume: string | null): Promise<LaunchedAgent>;
}

/** As in `Session`. */
export type ReplacedIds = Pick<Session, 'executor_session_id' | 'executor_session_ids'>;

/** Times are in milliseconds. */
export interface RunDeps {
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly log: Log;
  readonly silenceMs: number;
  /** Time before an unanswered request is denied. */
  readonly requestMs: number;
  /** Time without output for an agent to exit after its input was closed. */
  readonly closeMs: number;
  /** Time for an agent to start another turn automatically. */
  readonly nextTurnMs: number;
  /** Time for an interrupted agent to end its turn. */
  readonly turnMs: number;
  /** Whether a user can answer. */
  readonly presence?: Presence | undefined;
  readonly interactive: boolean;
}
