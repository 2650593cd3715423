import { EngineFailure } from '../failures/failures.ts';

/** A refusal that was already reported for the same version of the file, so that it is not reported again. */
export class RecordedRefusal extends EngineFailure {
  constructor({ code, words }: EngineFailure) {
    super(code, words);
  }
}

export const isRecordedRefusal = (error: unknown): boolean => error instanceof RecordedRefusal;
