import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cache, repository } from './cache.mjs';

/** Where one run of the host keeps everything: settings, extensions, home, workspace, log. */
export interface RunFolder {
  readonly root: string;
  readonly home: string;
  /** A copy of the sample workspace, free to be changed. */
  readonly workspace: string;
  /** Short, because a socket's path may have 107 characters at most. */
  readonly sockets: string;
  remove(): void;
}

const runs = path.join(cache, 'runs');

function living(name: string): boolean {
  try {
    return process.kill(Number(/-(\d+)$/.exec(name)?.[1]), 0);
  } catch {
    return false;
  }
}

let count = 0;

/** A new, empty run folder. Folders whose process is gone are removed. */
export function newRunFolder(name: string): RunFolder {
  mkdirSync(runs, { recursive: true });
  for (const old of readdirSync(runs).filter((each) => !living(each))) {
    rmSync(path.join(runs, old), { recursive: true, force: true });
  }
  count += 1;
  const root = path.join(runs, `${name}${count}-${process.pid}`);
  rmSync(root, { recursive: true, force: true });
  return runFolder(root);
}

/** The run folder at `root`, made if it does not exist; an existing workspace is left as it is. */
export function runFolder(root: string): RunFolder {
  const home = path.join(root, 'home');
  const workspace = path.join(root, 'sample-workspace');
  const sockets = mkdtempSync(path.join(tmpdir(), 'vitrine-'));
  mkdirSync(path.join(home, 'tmp'), { recursive: true });
  if (!existsSync(workspace)) cpSync(path.join(repository, 'test/sample-workspace'), workspace, { recursive: true });
  return {
    root,
    home,
    workspace,
    sockets,
    remove: () => {
      for (const each of [root, sockets]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
    },
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
