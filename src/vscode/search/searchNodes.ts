import * as vscode from 'vscode';
import {
  type SearchCoverage,
  type SearchAnswer,
  type SearchHit,
  type SessionHits,
  isObserved,
} from '../../engine/search/types.ts';
import { toSessionSummary } from '../../insight/observed/asSession.ts';
import { type QueryProblem, queryKinds, queryStates } from '../../model/transcript/query.ts';
import { inertText, visibleText } from '../text/inertText.ts';
import { rowOf, titleOf } from '../sessions/sessionRow.ts';
import { sharedAuthor } from '../../model/session/sharedAuthor.ts';
import { originLabel } from '../text/originLabel.ts';
import { leftOutText, stateIcon, stateOf } from '../sessions/rowText.ts';
import { rowLabel, rowTooltip } from '../sessions/rowTooltip.ts';

const { t } = vscode.l10n;

export type SearchNode =
  | { readonly kind: 'session'; readonly found: SessionHits }
  /** `member`: whose session it is, if another team member shares it. */
  | { readonly kind: 'hit'; readonly hit: SearchHit; readonly member: string | undefined }
  | { readonly kind: 'rest'; readonly found: SessionHits }
  /** Sessions that could not be searched, with the reasons as children. */
  | { readonly kind: 'unread'; readonly lines: readonly string[] }
  | { readonly kind: 'line'; readonly text: string };

export function rootNodes({ sessions, scanned }: SearchAnswer): SearchNode[] {
  const lines = unreadLines(scanned);
  return [
    ...sessions.map((found): SearchNode => ({ kind: 'session', found })),
    ...(lines.length === 0 ? [] : [{ kind: 'unread' as const, lines }]),
  ];
}

export function childNodes(node: SearchNode): SearchNode[] {
  if (node.kind === 'unread') return node.lines.map((text) => ({ kind: 'line', text }));
  if (node.kind !== 'session') return [];
  const { found } = node;
  const member = isObserved(found.session) ? undefined : sharedAuthor(found.session.shared);
  const hits = found.hits.map((hit): SearchNode => ({ kind: 'hit', hit, member }));
  return found.count > found.hits.length ? [...hits, { kind: 'rest', found }] : hits;
}

export function nodeItem(node: SearchNode, now: number): vscode.TreeItem {
  switch (node.kind) {
    case 'session':
      return sessionItem(node.found, now);
    case 'hit':
      return hitItem(node.hit, node.member);
    case 'rest':
      return moreEntriesItem(node.found);
    case 'unread': {
      const item = new vscode.TreeItem(t('Not searched'), vscode.TreeItemCollapsibleState.Collapsed);
      item.description = String(node.lines.length);
      item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
      return item;
    }
    case 'line': {
      const item = new vscode.TreeItem(node.text);
      item.tooltip = node.text;
      return item;
    }
  }
}

/** Summary of the search, shown above the results. */
export function answerText({ sessions, moreSessions, leftOut, problems, scanned }: SearchAnswer): string {
  const entries = sessions.reduce((sum, { count }) => sum + count, 0);
  const unsure = sessions.some((session) => session.unsure) || moreSessions > 0;
  return [
    sessions.length === 0
      ? t('No entry found.')
      : unsure
        ? t(
            'At least {0} in {1}, best matches first.',
            entriesText(shownEntries(sessions)),
            sessionsText(sessions.length),
          )
        : t('{0} in {1}.', entriesText(entries), sessionsText(sessions.length)),
    t('Searched: {0}, {1}.', sessionsText(scanned.sessions), entriesText(scanned.entries)),
    ...(leftOut > 0 ? [`${leftOutText(leftOut)}.`] : []),
    ...(scanned.cut > 0 ? [t('Searched only at the beginning (too long): {0}.', entriesText(scanned.cut))] : []),
    ...(scanned.elsewhere > 0
      ? [t('Excluded (hidden or in other folders): {0}.', sessionsText(scanned.elsewhere))]
      : []),
    ...(scanned.omitsOlderShared === true ? [t('Only the team’s newest sessions are searched.')] : []),
    ...problems.map(problemText),
  ].join(' ');
}

function shownEntries(sessions: readonly SessionHits[]): number {
  return sessions.reduce((sum, { hits }) => sum + hits.length, 0);
}

export function sessionsText(count: number): string {
  return count === 1 ? t('1 session') : t('{0} sessions', count);
}

export function entriesText(count: number): string {
  return count === 1 ? t('1 entry') : t('{0} entries', count);
}

export function problemText({ code, part }: QueryProblem): string {
  const shown = inertText(part);
  switch (code) {
    case 'unknown_operator':
      return t('“{0}” is not a known operator, so Vitrine searched for it as text.', shown);
    case 'unknown_kind':
      return t('“{0}” is not a valid kind. Valid kinds: {1}.', shown, queryKinds.join(', '));
    case 'unknown_state':
      return t('“{0}” is not a valid state. Valid states: {1}.', shown, queryStates.join(', '));
    case 'no_value':
      return t('Enter a value after “{0}”.', shown);
  }
}

function unreadLines({ unreadable, damaged }: SearchCoverage): string[] {
  return [
    ...unreadable.map(({ id, reason }) => visibleText(t('{0}: {1}', id, reason))),
    ...damaged.map((id) => t('{0}: parts of the record are damaged; Vitrine searched the rest', id)),
  ];
}

function sessionItem({ session, count, unsure }: SessionHits, now: number): vscode.TreeItem {
  const row = rowOf(isObserved(session) ? toSessionSummary(session) : session);
  const item = new vscode.TreeItem(titleOf(row), vscode.TreeItemCollapsibleState.Expanded);
  item.id = session.session_id;
  item.description = [unsure ? `≤ ${count}` : String(count), session.updated_at.slice(0, 10)].join(' · ');
  item.iconPath = stateIcon(stateOf(row));
  item.tooltip = rowTooltip(row, now);
  item.contextValue = 'session';
  item.accessibilityInformation = { label: [rowLabel(row, now), entriesText(count)].join(', ') };
  return item;
}

const icons: Readonly<Record<SearchHit['kind'], string>> = {
  user_message: 'account',
  assistant_message: 'comment',
  thinking: 'thinking',
  system_message: 'info',
  tool_use: 'tools',
  error: 'error',
};

function kindWord({ kind, tool, origin }: SearchHit, member: string | undefined): string {
  if (origin !== undefined) return originLabel(origin, member)[1];
  switch (kind) {
    case 'user_message':
      return t('Prompt');
    case 'assistant_message':
      return t('Answer');
    case 'thinking':
      return t('Thought');
    case 'system_message':
      return t('System message');
    case 'error':
      return t('Error');
    case 'tool_use':
      return visibleText(tool ?? '');
  }
}

function hitItem(hit: SearchHit, member: string | undefined): vscode.TreeItem {
  const { sessionId, entry, excerpt } = hit;
  const label = visibleText(excerpt.text);
  // If characters were made visible, positions have moved, so nothing is highlighted.
  const highlights = label === excerpt.text ? excerpt.ranges.map(([from, to]): [number, number] => [from, to]) : [];
  const item = new vscode.TreeItem({ label, highlights });
  item.id = `${sessionId}:${entry}`;
  const word = kindWord(hit, member);
  item.description = word;
  item.iconPath = new vscode.ThemeIcon(hit.origin === undefined ? icons[hit.kind] : originLabel(hit.origin)[0]);
  item.tooltip = label;
  item.accessibilityInformation = { label: `${word}: ${label}` };
  item.command = { command: 'vitrine.openSearchHit', title: t('Open Session'), arguments: [sessionId, entry] };
  return item;
}

function moreEntriesItem({ session, count, hits, unsure }: SessionHits): vscode.TreeItem {
  const omitted = count - hits.length;
  const text = unsure ? t('Up to {0} more in this session', omitted) : t('{0} more in this session', omitted);
  const item = new vscode.TreeItem('');
  item.id = `${session.session_id}:rest`;
  item.description = text;
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.accessibilityInformation = { label: text };
  item.command = { command: 'vitrine.openSession', title: t('Open Session'), arguments: [session.session_id] };
  return item;
}
