/** What the page keeps over being hidden; never anything of the session itself. */
export interface SavedState {
  /** For the host, which opens the panel again after a reload of the window. */
  readonly sessionId?: string;
  /** First visible row and how far it is scrolled; absent: the end. */
  readonly anchor?: { readonly key: string; readonly offset: number };
  readonly expanded?: readonly string[];
  readonly closed?: readonly string[];
  readonly draft?: string;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  /** Given by the host, once per page. */
  function acquireVsCodeApi(): VsCodeApi;
}

const api = acquireVsCodeApi();

export function post(message: unknown): void {
  api.postMessage(message);
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/** What an earlier version of the page saved may look different: only what is understood is taken. */
export function loadState(): SavedState {
  const state = api.getState();
  if (typeof state !== 'object' || state === null) return {};
  const saved: Record<string, unknown> = { ...state };
  const { anchor, draft } = saved;
  const known =
    typeof anchor === 'object' && anchor !== null && 'key' in anchor && 'offset' in anchor ? anchor : undefined;
  return {
    expanded: strings(saved['expanded']),
    closed: strings(saved['closed']),
    ...(typeof draft === 'string' && { draft }),
    ...(typeof known?.key === 'string' &&
      typeof known.offset === 'number' && { anchor: { key: known.key, offset: known.offset } }),
  };
}

export function saveState(state: SavedState): void {
  api.setState(state);
}
