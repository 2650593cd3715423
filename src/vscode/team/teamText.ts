import type { TeamState } from '../../protocol/daemon/team.ts';
import { visibleText } from '../text/inertText.ts';

/** Such as `alice · team · db.example.org`. */
export function teamName({ url, user }: Pick<TeamState, 'url' | 'user'>): string {
  const parsed = URL.parse(url);
  if (parsed === null) return visibleText(user);
  return visibleText(`${user} · ${decodeURIComponent(parsed.pathname.slice(1))} · ${parsed.hostname}`);
}
