import { html, nothing, render } from 'lit/html.js';
import type { ExportedSession } from '../../src/pages/exported/exportedSession.ts';
import { plain } from '../text/visible.ts';
import type { ExportedSessions } from './readSession.ts';

/** Links to the exported session and its children, if it has any. */
export function addSessions(body: HTMLElement, { sessions, omitted }: ExportedSessions, shown: ExportedSession): void {
  if (sessions.length === 1 && omitted === 0) return;
  const nav = document.createElement('nav');
  nav.className = 'exported-sessions';
  nav.setAttribute('aria-label', 'Sessions');
  body.prepend(nav);
  const link = (session: ExportedSession) => {
    const { session_id: id, title = id } = session.summary;
    const count = session.entries.length;
    return html`<li>
      <a href="#${id}" aria-current=${session === shown ? 'page' : nothing}>${plain(title)}</a>
      <span>${count} ${count === 1 ? 'entry' : 'entries'}</span>
    </li>`;
  };
  const [exported, ...children] = sessions;
  render(
    html`<ul>
      ${link(exported)}
      ${
        children.length === 0
          ? nothing
          : html`<li>
              <ul>
                ${children.map(link)}
              </ul>
            </li>`
      }
      ${omitted === 0 ? nothing : html`<li>${omitted} more child sessions are not in this page.</li>`}
    </ul>`,
    nav,
  );
}
