import type { StorePlace } from './storeFormat.ts';

/** The parts as one path of that system. */
export function joinPath({ platform }: StorePlace, ...parts: readonly string[]): string {
  const separator = platform === 'win32' ? '\\' : '/';
  return parts.join(separator);
}

/** The folder that a variable names, where it names one; else `fallback`. */
export function folderFrom({ env }: StorePlace, variable: string, fallback: string): string {
  const given = env[variable];
  return given === undefined || given.trim() === '' ? fallback : given;
}
