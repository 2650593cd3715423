/** Whether the owner of a file can run it; `mode` as from `stat`. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** Adds or removes permissions to execute: everyone who can read the file can execute it. */
export function withExecutable(mode: number, executable: boolean): number {
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}
