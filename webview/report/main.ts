import { ReportApp } from './app.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element with the id "app".');
new ReportApp(root);
