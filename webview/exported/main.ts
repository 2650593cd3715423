import { exportedSessions, host, session, sessionInAddress } from './host.ts';
import { App } from '../app.ts';
import { entryKey } from '../rows/rowKeys.ts';
import { addFooter } from './footer.ts';
import { addSessions } from './sessions.ts';
import { addThemes } from './themes.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element with the id "app".');

addThemes(document.body);
addSessions(document.body, exportedSessions, session);
addFooter(document.body, session);
new App(root, () => revealLinked());

/** `#entry-12` leads to an entry, `#ses_…/entry-12` to one of a child session, for which the page reloads. */
function revealLinked(): void {
  if (sessionInAddress() !== session) {
    location.reload();
    return;
  }
  const index = Number(/^#(?:ses_\w+\/)?entry-(\d+)$/.exec(location.hash)?.[1] ?? Number.NaN);
  if (!Number.isNaN(index)) host.reveal(index);
}
const place = session === exportedSessions.sessions[0] ? '' : `${session.summary.session_id}/`;
window.addEventListener('hashchange', revealLinked);
document.addEventListener('focusin', ({ target }) => {
  const key = target instanceof Element ? target.closest('[data-key]')?.getAttribute('data-key') : null;
  const index = /^e:(\d+)/.exec(key ?? '')?.[1];
  if (index !== undefined && entryKey(Number(index)) === key) history.replaceState(null, '', `#${place}entry-${index}`);
});
