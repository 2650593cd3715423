import type { ReportKey } from '../../src/protocol/pages/reportMessages.ts';
import type { Anchor } from '../list/list.ts';
import type { Sort } from '../report/sorting.ts';
import type { AnswerDraft } from '../request/answerDraft.ts';
import { isObject } from '../text/objects.ts';
import { type SavedViews, savedViews } from '../views/savedViews.ts';

/** State that the page keeps while hidden; never content of the session. */
export interface SavedState {
  /** For the host, which reopens the panel after a reload of the window. */
  readonly sessionId?: string;
  /** Scroll position; absent: the end. */
  readonly anchor?: Anchor;
  readonly expanded?: readonly string[];
  readonly closed?: readonly string[];
  readonly draft?: string;
  /** The view on screen. */
  readonly tab?: string;
  readonly views?: SavedViews;
  readonly peopleOnly?: boolean;
  readonly showsSynthetic?: boolean;
  /** Draft answers to requests, by id. */
  readonly answers?: Readonly<Record<string, AnswerDraft>>;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  /** Available once per page. */
  function acquireVsCodeApi(): VsCodeApi;
}

const api = acquireVsCodeApi();

export function post(message: unknown): void {
  api.postMessage(message);
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

function answerDraft([id, value]: [string, unknown]): [string, AnswerDraft][] {
  if (!isObject(value)) return [];
  const { reason, picks, other } = value;
  const draft = {
    reason: typeof reason === 'string' ? reason : '',
    picks: Array.isArray(picks) ? picks.map(strings) : [],
    other: strings(other),
    whole: value['whole'] === true,
  };
  return [[id, draft]];
}

/** State of another version of the page may differ: only valid parts are used. */
export function loadState(): SavedState {
  const state = api.getState();
  if (!isObject(state)) return {};
  const { anchor, draft, answers, tab } = state;
  const known =
    typeof anchor === 'object' && anchor !== null && 'key' in anchor && 'offset' in anchor ? anchor : undefined;
  return {
    expanded: strings(state['expanded']),
    closed: strings(state['closed']),
    answers: isObject(answers) ? Object.fromEntries(Object.entries(answers).flatMap(answerDraft)) : {},
    views: savedViews(state['views']),
    peopleOnly: state['peopleOnly'] === true,
    showsSynthetic: state['showsSynthetic'] === true,
    ...(typeof draft === 'string' && { draft }),
    ...(typeof tab === 'string' && { tab }),
    ...(typeof known?.key === 'string' &&
      typeof known.offset === 'number' && { anchor: { key: known.key, offset: known.offset } }),
  };
}

export function saveState(state: SavedState): void {
  api.setState(state);
}

/** State of a report page: which report it is, and how the reader arranged it. */
interface SavedReport {
  readonly key: ReportKey;
  readonly sorts: readonly (readonly [table: string, sort: Sort])[];
  readonly opened: readonly string[];
}

export function saveReport(state: SavedReport): void {
  api.setState(state);
}

export function savedReport(): Pick<SavedReport, 'sorts' | 'opened'> {
  const state = api.getState();
  if (!isObject(state)) return { sorts: [], opened: [] };
  const sorts: readonly unknown[] = Array.isArray(state['sorts']) ? state['sorts'] : [];
  return { sorts: sorts.flatMap(parseSavedSort), opened: strings(state['opened']) };
}

function parseSavedSort(pair: unknown): [string, Sort][] {
  const parts: readonly unknown[] = Array.isArray(pair) ? pair : [];
  const [table, sort] = parts;
  if (typeof table !== 'string' || !isObject(sort)) return [];
  const { column, descending } = sort;
  return typeof column === 'number' && typeof descending === 'boolean' ? [[table, { column, descending }]] : [];
}
