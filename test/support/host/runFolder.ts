import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeFolder } from '../processes/temporaryFolder.mjs';
import { repository } from './install/cache.mjs';

/** Where one run of the host keeps everything: settings, extensions, home, workspace, log. */
export interface RunFolder {
  readonly root: string;
  readonly home: string;
  /** A copy of the sample workspace, free to be changed. */
  readonly workspace: string;
  /** For sockets: under the temporary folder of this run, so that their paths stay within 107 bytes. */
  readonly sockets: string;
  remove(): void;
}

/** A new, empty run folder in the private temporary folder of this run (`withNode24.mjs`), which is removed at its end. */
export function newRunFolder(name: string): RunFolder {
  return runFolder(mkdtempSync(path.join(realpathSync(tmpdir()), `${name}-`)));
}

/** The run folder at `root`, made if it does not exist; an existing workspace is left as it is. */
export function runFolder(root: string): RunFolder {
  const home = path.join(root, 'home');
  const workspace = path.join(root, 'sample-workspace');
  const sockets = mkdtempSync(path.join(realpathSync(tmpdir()), 's-'));
  mkdirSync(path.join(home, 'tmp'), { recursive: true });
  if (!existsSync(workspace)) cpSync(path.join(repository, 'test/sample-workspace'), workspace, { recursive: true });
  return {
    root,
    home,
    workspace,
    sockets,
    remove: () => [root, sockets].forEach(removeFolder),
  };
}

/** An environment that holds only this: nothing of the user's but PATH gets to the server, its agents or the browser. */
export function cleanEnvironment(folder: RunFolder): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    HOME: folder.home,
    XDG_CONFIG_HOME: path.join(folder.home, '.config'),
    XDG_DATA_HOME: path.join(folder.home, '.local/share'),
    XDG_CACHE_HOME: path.join(folder.home, '.cache'),
    XDG_RUNTIME_DIR: folder.sockets,
    TMPDIR: path.join(folder.home, 'tmp'),
  };
}
