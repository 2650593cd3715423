import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResumeRequest } from '../api.ts';
import type { EngineFailure } from '../failures/failures.ts';
import type { Blueprint } from './load.ts';
import type { BlueprintUse } from './request.ts';

/** Where agent files are found, and the values of their placeholders. */
export interface BlueprintAccess {
  /** Agent files of a folder and of the user. */
  readonly load: (folder: string) => Promise<readonly Blueprint[]>;
  readonly use: Pick<BlueprintUse, 'options' | 'environment' | 'input'>;
  /** Adds the options that the user chose for a session, which override its agent file. */
  readonly chosen?: (session: SessionSummary, request: ResumeRequest) => ResumeRequest;
  /** Called once per session if a child's results could not be delivered, after several attempts. */
  readonly onUndeliveredCallbacks?: (session: SessionSummary, failure: EngineFailure) => void;
  /** Tags of this machine, which agents may require. Default: none. */
  readonly tags?: () => readonly string[];
  /** Whether a child session may run in a folder outside that of its parent. Default: no. */
  readonly isTrusted?: (folder: string) => boolean;
}
