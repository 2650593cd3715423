import * as vscode from 'vscode';
import type { Share } from '../../model/session/share.ts';
import type { TeamState } from '../../protocol/daemon/team.ts';
import { visibleText } from '../text/inertText.ts';

const { t } = vscode.l10n;

/** Such as `alice · team · db.example.org`. */
export function teamName({ url, user }: Pick<TeamState, 'url' | 'user'>): string {
  const parsed = URL.parse(url);
  if (parsed === null) return visibleText(user);
  return visibleText(`${user} · ${decodeURIComponent(parsed.pathname.slice(1))} · ${parsed.hostname}`);
}

/** What the team sees of a session. */
export function shareDetail(share: Share): string {
  if (share === 'nothing') return t('Sessions stay on this machine.');
  return share === 'metadata'
    ? t('Title, agent, state, folder and cost, as lists show them.')
    : t('Metadata and transcripts, with secrets masked.');
}
