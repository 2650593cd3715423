import { host, session } from './host.ts';
import { App } from '../app.ts';
import { entryKey } from '../rows/rowKeys.ts';
import { addFooter } from './footer.ts';
import { addThemes } from './themes.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element with the id "app".');

addThemes(document.body);
addFooter(document.body, session);
new App(root, () => revealLinked());

/** `#entry-12` leads to an entry. */
function revealLinked(): void {
  const index = Number(/^#entry-(\d+)$/.exec(location.hash)?.[1] ?? Number.NaN);
  if (!Number.isNaN(index)) host.reveal(index);
}
window.addEventListener('hashchange', revealLinked);
document.addEventListener('focusin', ({ target }) => {
  const key = target instanceof Element ? target.closest('[data-key]')?.getAttribute('data-key') : null;
  const index = /^e:(\d+)/.exec(key ?? '')?.[1];
  if (index !== undefined && entryKey(Number(index)) === key) history.replaceState(null, '', `#entry-${index}`);
});
