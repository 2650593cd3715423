import type { ListedRunner } from '../../model/session/runner.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { ListedRun } from '../../model/session/waiting.ts';

/** Maximum number of rows in a group before its "more" row. */
export const maxRows = 200;

export const queueGroups = ['waiting', 'running', 'runners'] as const;
export type QueueGroupName = (typeof queueGroups)[number];

export interface QueueContents {
  readonly runs: readonly ListedRun[];
  readonly runners: readonly ListedRunner[];
}

export type QueueNode =
  | { readonly kind: 'group'; readonly name: QueueGroupName; readonly count: number }
  | { readonly kind: 'run'; readonly run: ListedRun }
  /** Reason why the run in the row above waits. */
  | { readonly kind: 'reason'; readonly run: ListedRun }
  | { readonly kind: 'runner'; readonly runner: ListedRunner }
  | { readonly kind: 'more'; readonly name: QueueGroupName; readonly count: number };

export type QueueGroup = Extract<QueueNode, { kind: 'group' }>;

/** Groups that have rows. */
export function groupNodes(contents: QueueContents): QueueGroup[] {
  return queueGroups.flatMap((name): QueueGroup[] => {
    const count = rowsOf(contents, name).length;
    return count === 0 ? [] : [{ kind: 'group', name, count }];
  });
}

export function rowNodes(contents: QueueContents, name: QueueGroupName): QueueNode[] {
  const rows = rowsOf(contents, name);
  const shown = rows.slice(0, maxRows);
  return rows.length > maxRows ? [...shown, { kind: 'more', name, count: rows.length - maxRows }] : shown;
}

/** Whether the rows of a group are unchanged. */
export function isSameGroup(name: QueueGroupName, one: QueueContents, other: QueueContents): boolean {
  return JSON.stringify(rowNodes(one, name)) === JSON.stringify(rowNodes(other, name));
}

/** A row with the reason why a run waits. */
export function reasonNodes(run: ListedRun): QueueNode[] {
  return run.status === 'pending' && run.waiting !== undefined ? [{ kind: 'reason', run }] : [];
}

/** Whether the queue has no runs or runners to show. */
export function isQueueEmpty({ runs, runners }: QueueContents): boolean {
  return runners.length === 0 && runs.every(({ status }) => isRunOver(status));
}

/** The runner of this window that could execute the run; `undefined`: this window offers none for its executor. */
export function runnerHere(
  { runners }: QueueContents,
  { executor_type }: Pick<ListedRun, 'executor_type'>,
  here: { readonly hostname: string; readonly folders: readonly string[] },
): ListedRunner | undefined {
  return runners.find(
    (runner) =>
      runner.status === 'online' &&
      runner.executor_type === executor_type &&
      isRunnableHere(runner, here.hostname, here.folders),
  );
}

/** Tags that the run demands and the runner does not have. */
export function missingTags({ demands }: Pick<ListedRun, 'demands'>, runner: Pick<ListedRunner, 'tags'>): string[] {
  return (demands?.tags ?? []).filter((tag) => !runner.tags.includes(tag));
}

/** Whether a runner is one of this window. */
export function isRunnableHere(
  { hostname, project_dir, owner }: ListedRunner,
  here: string,
  folders: readonly string[],
): boolean {
  return owner === undefined && hostname === here && folders.includes(project_dir);
}

function rowsOf({ runs, runners }: QueueContents, name: QueueGroupName): QueueNode[] {
  switch (name) {
    case 'waiting':
      return runs
        .filter(({ status }) => status === 'pending')
        .sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
        .map((run) => ({ kind: 'run', run }));
    case 'running':
      return runs
        .filter(({ status }) => status !== 'pending' && !isRunOver(status))
        .map((run) => ({ kind: 'run', run }));
    case 'runners':
      return runners.map((runner) => ({ kind: 'runner', runner }));
  }
}
