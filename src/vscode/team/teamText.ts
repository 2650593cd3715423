import * as vscode from 'vscode';
import type { Remote } from '../../model/session/session.ts';
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

/** Who runs a child session, and where, as far as known. */
export function remoteText({ member, hostname }: Remote): string {
  if (member === undefined) return t('A team machine');
  return hostname === undefined ? visibleText(member) : t('{0} on {1}', visibleText(member), visibleText(hostname));
}

/** What the team sees of a session. */
export function shareDetail(share: Share): string {
  if (share === 'nothing') return t('Sessions stay on this machine.');
  return share === 'metadata'
    ? t('Metadata such as title, agent, state, folder and cost.')
    : t('Metadata and transcripts, with secrets masked.');
}
