export interface SplitPath {
  readonly name: string;
  /** A folder relative to the project; empty for the project's own. */
  readonly folder: string;
}

const separator = /[\\/]/;

/** A path as name and folder, relative to the project if inside it. */
export function splitPath(path: string, projectDir: string | undefined): SplitPath {
  const own = relative(path, projectDir);
  const at = Math.max(own.lastIndexOf('/'), own.lastIndexOf('\\'));
  return at === -1 ? { name: own, folder: '' } : { name: own.slice(at + 1) || own, folder: own.slice(0, at) || '/' };
}

export function relative(path: string, projectDir: string | undefined): string {
  if (projectDir === undefined || projectDir === '' || !path.startsWith(projectDir)) return path;
  const rest = path.slice(projectDir.length);
  return separator.test(projectDir.at(-1) ?? '') ? rest : separator.test(rest.charAt(0)) ? rest.slice(1) : path;
}
