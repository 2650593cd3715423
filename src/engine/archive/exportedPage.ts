import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const name = path.join('webview', 'exported.html');

/** The page of HTML exports, as the build wrote it: beside the running code, or in `dist` above it. @throws if there is none */
export function exportedPage(): Promise<string> {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const places = [folder, path.join(folder, 'dist')].map((place) => path.join(place, name));
    const found = places.find((file) => existsSync(file));
    if (found !== undefined) return readFile(found, 'utf8');
    if (folder === path.dirname(folder)) throw new Error(`The Vitrine installation is incomplete. Missing: ${name}.`);
  }
}
