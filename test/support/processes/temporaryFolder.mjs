// @ts-check
/** A private temporary folder for one run, with a path short enough for sockets, however deep the repository lies. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { folderPrefix, killLeftovers } from './leftovers.mjs';

/** Socket paths are limited to 107 bytes on Linux and 103 on macOS; browsers and agents add up to 70. */
const longestParent = 20;

/** The system's temporary folder, or `/tmp` if its path is too long for sockets, as on macOS. */
function parentFolder() {
  const folder = realpathSync(tmpdir());
  const isShort = process.platform === 'win32' || Buffer.byteLength(folder) <= longestParent;
  return isShort || !existsSync('/tmp') ? folder : realpathSync('/tmp');
}

/**
 * Makes the folder, readable by its owner alone. Removes the ones whose process was killed before it could.
 * @param {string} [parent]
 * @returns {string}
 */
export function createTemporaryFolder(parent = parentFolder()) {
  for (const name of readdirSync(parent)) if (name.startsWith(folderPrefix)) removeAbandoned(path.join(parent, name));
  newShared = sharedFolders.filter((each) => !existsSync(each));
  const folder = mkdtempSync(path.join(parent, folderPrefix));
  writeFileSync(path.join(folder, 'owner'), `${process.pid} ${hostname()}`);
  return folder;
}

/** @param {string} folder */
function removeAbandoned(folder) {
  try {
    const [pid, host] = readFileSync(path.join(folder, 'owner'), 'utf8').split(' ');
    // Containers may share the folder, but not process ids.
    if (host !== hostname() || isAlive(Number(pid))) return;
    killLeftovers(folder);
    removeTemporaryFolder(folder);
  } catch {
    // it has no owner file, or belongs to another user
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Where Codex creates a socket and a lock file for each of its homes. Their names are hashes. */
const codexFolder = `/tmp/codex-daemon-${process.getuid?.() ?? ''}`;
/** Folders that some agents create outside of their temporary folder. */
const sharedFolders = [
  '/tmp/claude', // Claude Code 2.0: a folder for each workspace
  codexFolder,
];
/** Sockets that were there before this process. */
const earlierSockets = new Set(existsSync(codexFolder) ? readdirSync(codexFolder) : []);
/** @type {string[]} those that this run may remove, once they are empty */
let newShared = [];

/**
 * Removes the private folder of a run, and what its agents left outside of it.
 * @param {string} folder
 */
export function removeTemporaryFolder(folder) {
  removeFolder(folder);
  for (const shared of sharedFolders) {
    // Claude Code names such a folder after the path of the workspace, which is in the private one.
    const own = existsSync(shared) ? readdirSync(shared).filter((name) => name.includes(path.basename(folder))) : [];
    for (const name of own) removeFolder(path.join(shared, name));
  }
  removeDeadSockets();
  for (const shared of newShared) {
    try {
      rmdirSync(shared);
    } catch {
      // it is not there, or somebody else uses it
    }
  }
}

/** Removes the sockets that Codex created since this process started, except those still in use. */
function removeDeadSockets() {
  if (process.platform !== 'linux' || !existsSync(codexFolder)) return;
  const listening = readFileSync('/proc/net/unix', 'utf8');
  for (const name of readdirSync(codexFolder)) {
    if (earlierSockets.has(name) || listening.includes(path.basename(name, '.lock'))) continue;
    removeFolder(path.join(codexFolder, name));
  }
}

/** @param {string} folder */
export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * What makes a process put its temporary files into `folder`.
 * @param {string} folder
 */
export function temporaryVariables(folder) {
  return { TMPDIR: folder, TMP: folder, TEMP: folder };
}
