import type { Log } from '../../src/engine/api.ts';

const ignore = (): void => undefined;

/** Ignores every message. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
