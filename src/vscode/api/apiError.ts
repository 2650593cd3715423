import type { VitrineError } from './vitrine.d.ts';

/** Tells another extension why nothing was done; failures of the engine have codes of their own. */
export class ApiError extends Error implements VitrineError {
  override readonly name = 'VitrineError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
