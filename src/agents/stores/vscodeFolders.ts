import type { StorePlace } from './storeFormat.ts';
import { folderFrom, joinPath } from './placeFiles.ts';

/** Products that keep their data as VS Code does. */
const products = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];

/** The `User` folders of all possible VS Code installations: desktops, servers of remote windows, and code-server. */
export function vscodeUserFolders(place: StorePlace): readonly string[] {
  const { home, platform } = place;
  const data =
    platform === 'win32'
      ? folderFrom(place, 'APPDATA', joinPath(place, home, 'AppData', 'Roaming'))
      : platform === 'darwin'
        ? joinPath(place, home, 'Library', 'Application Support')
        : folderFrom(place, 'XDG_CONFIG_HOME', joinPath(place, home, '.config'));
  const share = folderFrom(place, 'XDG_DATA_HOME', joinPath(place, home, '.local', 'share'));
  const servers = ['.vscode-server', '.vscode-server-insiders', '.vscode-remote'];
  return [
    ...products.map((product) => joinPath(place, data, product, 'User')),
    ...servers.map((server) => joinPath(place, home, server, 'data', 'User')),
    joinPath(place, share, 'code-server', 'User'),
  ];
}

/** The path of a URI as VS Code writes it; `undefined` for URIs without a path. */
export function uriPath(uri: string): string | undefined {
  const path = /^[a-z][\w+.-]*:\/\/[^/]*(\/[^?#]*)/i.exec(uri)?.[1];
  if (path === undefined) return undefined;
  try {
    const decoded = decodeURIComponent(path);
    return /^\/[a-z]:/i.test(decoded) ? decoded.slice(1).replaceAll('/', '\\') : decoded;
  } catch {
    return path;
  }
}
