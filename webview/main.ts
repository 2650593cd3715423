import { App } from './app.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element with the id "app".');
// The toolkit is as large as everything else, and not needed for the first screen.
new App(root, () => void import('./toolkit.ts'));
