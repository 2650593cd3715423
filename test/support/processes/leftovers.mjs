// @ts-check
/** Finds and kills what runs on in a folder: processes that left their group, too. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Name prefix of a run's private temporary folder; `mkdtemp` adds six characters. */
export const folderPrefix = 'vitrine-';

/** @param {string} folder */
function isPrivateFolder(folder) {
  return new RegExp(`^${folderPrefix}\\w{6}$`).test(path.basename(folder));
}

/** @typedef {{ pid: number, command: string }} Leftover */

/**
 * The processes whose environment, arguments or working directory name `folder`, apart from this one and its ancestors.
 * macOS shows no foreign environment, so that arguments alone count there; Windows shows nothing.
 * @param {string} folder
 * @returns {Leftover[]}
 */
function leftoversIn(folder) {
  // In a shared folder, there may be other users' processes.
  if (process.platform === 'win32' || !isPrivateFolder(folder)) return [];
  return process.platform === 'linux' ? inProc(folder) : inProcessList(folder);
}

/**
 * @param {string} folder
 * @returns {Leftover[]}
 */
function inProc(folder) {
  const own = ancestors();
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    if (!(pid > 0) || own.has(pid)) return [];
    try {
      // The state is the first field after the name, which is in parentheses; a zombie has ended.
      if (statOf(pid)[0] === 'Z') return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const names = [command, readFileSync(`/proc/${pid}/environ`, 'utf8'), readlinkSync(`/proc/${pid}/cwd`)];
      return names.some((text) => text.includes(folder))
        ? [{ pid, command: command.replaceAll('\0', ' ').trim() }]
        : [];
    } catch {
      return []; // it ended meanwhile, or belongs to someone else
    }
  });
}

/**
 * @param {number} pid
 * @returns {string[]} state, parent and what else follows the name
 */
function statOf(pid) {
  return (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop() ?? '').split(' ');
}

/** @returns {Set<number>} */
function ancestors() {
  const pids = new Set([process.pid]);
  try {
    for (let pid = process.ppid; pid > 0; pid = Number(statOf(pid)[1])) pids.add(pid);
  } catch {
    // an ancestor ended meanwhile
  }
  return pids;
}

/**
 * @param {string} folder
 * @returns {Leftover[]}
 */
function inProcessList(folder) {
  const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    const found = command !== undefined && command.includes(folder) && !ancestors().has(Number(pid));
    return found ? [{ pid: Number(pid), command }] : [];
  });
}

/**
 * Waits up to `patience` milliseconds for the processes in `folder` to end, and kills the others.
 * @param {string} folder
 * @param {number} patience
 * @returns {Promise<Leftover[]>} those it killed
 */
export async function endLeftovers(folder, patience) {
  const until = performance.now() + patience;
  while (leftoversIn(folder).length > 0 && performance.now() < until) await delay(100);
  return killLeftovers(folder);
}

/**
 * Kills the processes in `folder` at once. A process may start another one meanwhile, hence the rounds.
 * @param {string} folder
 * @returns {Leftover[]} those it killed
 */
export function killLeftovers(folder) {
  /** @type {Map<number, Leftover>} */
  const killed = new Map();
  for (let round = 0; round < 10; round++) {
    const found = leftoversIn(folder);
    if (found.length === 0) break;
    for (const each of found) {
      killed.set(each.pid, each);
      try {
        process.kill(each.pid, 'SIGKILL');
      } catch {
        // it ended by itself
      }
    }
  }
  return [...killed.values()];
}
