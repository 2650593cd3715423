import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResumeRequest } from '../api.ts';
import type { EngineFailure } from '../failures/failures.ts';
import type { Blueprint } from './load.ts';
import type { BlueprintUse } from './request.ts';

/** Where agents that are files are found, what stands behind their placeholders, and what a person says to their runs. */
export interface BlueprintAccess {
  /** Those of a folder and of the user. */
  readonly load: (folder: string) => Promise<readonly Blueprint[]>;
  readonly use: Pick<BlueprintUse, 'options' | 'environment' | 'input'>;
  /** How a session resumes what a person chose for it, which goes before its blueprint; absent: no one chooses. */
  readonly chosen?: (session: SessionSummary, request: ResumeRequest) => ResumeRequest;
  /** A session could not get the results of its children. Called once for several attempts. */
  readonly onUndelivered?: (session: SessionSummary, failure: EngineFailure) => void;
  /** Tags that agents may demand of who runs them; absent: there are none. */
  readonly tags?: () => readonly string[];
}
