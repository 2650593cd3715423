import { App } from './app.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element with the id "app".');
// The toolkit is as big as everything else, and nothing on the first screen waits for it.
new App(root, () => void import('./toolkit.ts'));
