import type { StorePlace } from './storeFormat.ts';

/** Joins a path for that system. */
export function joinPath({ platform }: StorePlace, ...parts: readonly string[]): string {
  const separator = platform === 'win32' ? '\\' : '/';
  return parts.join(separator);
}

/** The folder in a variable, if set; else `fallback`. */
export function folderFrom({ env }: StorePlace, variable: string, fallback: string): string {
  const folder = env[variable];
  return folder === undefined || folder.trim() === '' ? fallback : folder;
}
