/** A running session on this machine. */
export interface MachineRun {
  readonly id: string;
  readonly title: string;
  /** Absolute path; `undefined` if the session has no folder. */
  readonly folder: string | undefined;
}

export interface FolderRuns {
  readonly folder: string | undefined;
  readonly runs: readonly MachineRun[];
}

/** Groups runs by folder, without duplicates: most runs first, then by name. */
export function runsByFolder(runs: readonly MachineRun[]): readonly FolderRuns[] {
  const byId = new Map<string, MachineRun>();
  for (const run of runs) if (!byId.has(run.id)) byId.set(run.id, run);
  const folders = new Map<string | undefined, MachineRun[]>();
  for (const run of byId.values()) folders.set(run.folder, [...(folders.get(run.folder) ?? []), run]);
  return [...folders]
    .map(([folder, inFolder]) => ({ folder, runs: inFolder }))
    .sort((a, b) => b.runs.length - a.runs.length || (a.folder ?? '').localeCompare(b.folder ?? ''));
}
