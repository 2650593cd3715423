import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeFolder } from '../processes/temporaryFolder.mjs';
import { repository } from './install/cache.mjs';

/** Folders of one run of the host: settings, extensions, home, workspace, log. */
export interface RunFolder {
  readonly root: string;
  readonly home: string;
  /** A copy of the sample workspace that tests may change. */
  readonly workspace: string;
  /** Folder for sockets, in this run's temporary folder, so that their paths stay within 107 bytes. */
  readonly sockets: string;
  remove(): void;
}

/** A new, empty run folder in this run's private temporary folder (`withNode24.mjs`), which is removed at the end. */
export function newRunFolder(name: string): RunFolder {
  return runFolder(mkdtempSync(path.join(realpathSync(tmpdir()), `${name}-`)));
}

/** The run folder at `root`, created if missing; keeps an existing workspace. */
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

/** An environment that inherits only PATH for the server, its agents and the browser. */
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
