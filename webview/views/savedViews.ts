import { type FileSort, fileSorts, type TrajectoryQuery } from '../../src/protocol/panel/viewMessages.ts';
import type { StepKind } from '../../src/model/transcript/steps.ts';
import { isObject } from '../text/objects.ts';

/** In the order of their chips. */
export const stepKinds = ['read', 'edit', 'command', 'search', 'web', 'other'] as const satisfies readonly StepKind[];

export interface FilesViewState {
  readonly query: string;
  readonly sort: FileSort;
}

/** Filters and sort orders of the views when the page was left. */
export interface SavedViews {
  readonly trajectory?: TrajectoryQuery;
  readonly files?: FilesViewState;
}

/** Lanes whose collapsed state is saved. */
const maxLanes = 100;
const longestQuery = 1000;

export function viewsToSave({ trajectory, files }: SavedViews): SavedViews {
  return {
    ...(trajectory !== undefined && { trajectory: { ...trajectory, closed: trajectory.closed.slice(-maxLanes) } }),
    ...(files !== undefined && { files }),
  };
}

/** State of another version of the page may differ: only valid parts are used. */
export function savedViews(value: unknown): SavedViews {
  if (!isObject(value)) return {};
  const { trajectory, files } = value;
  return {
    ...(isObject(trajectory) && { trajectory: trajectoryWish(trajectory) }),
    ...(isObject(files) && {
      files: { query: query(files['query']), sort: fileSorts.find((sort) => sort === files['sort']) ?? 'first' },
    }),
  };
}

function trajectoryWish(value: Readonly<Record<string, unknown>>): TrajectoryQuery {
  const { kinds, closed } = value;
  return {
    query: query(value['query']),
    kinds: Array.isArray(kinds) ? stepKinds.filter((kind) => kinds.includes(kind)) : [],
    repeats: value['repeats'] === true,
    sort: value['sort'] === 'longest' ? 'longest' : 'time',
    closed: Array.isArray(closed)
      ? closed.filter((id): id is string => typeof id === 'string' && id.length <= longestQuery).slice(-maxLanes)
      : [],
  };
}

function query(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, longestQuery) : '';
}
