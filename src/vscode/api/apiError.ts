import type { VitrineError } from './types/vitrine.d.ts';

/** Rejects a call of another extension. Engine failures have codes of their own. */
export class ApiError extends Error implements VitrineError {
  override readonly name = 'VitrineError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
