import { EngineFailure } from '../failures/failures.ts';

/** A refusal that a person was told of before, for the very same file: no one is told of it again. */
export class RecordedRefusal extends EngineFailure {
  constructor({ code, words }: EngineFailure) {
    super(code, words);
  }
}

export const isRecordedRefusal = (error: unknown): boolean => error instanceof RecordedRefusal;
