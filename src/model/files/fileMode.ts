/** Whether the owner of a file can run it; `mode` as from `stat`. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** Permissions with or without those to run it: everyone who can read the file can run it. */
export function withExecutable(mode: number, executable: boolean): number {
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}
