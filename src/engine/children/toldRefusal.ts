import { EngineFailure } from '../failures.ts';

/** A refusal that a person was told of before, for the very same file: nobody is told of it again. */
export class ToldRefusal extends EngineFailure {
  constructor({ code, words }: EngineFailure) {
    super(code, words);
  }
}

export const wasTold = (error: unknown): boolean => error instanceof ToldRefusal;
