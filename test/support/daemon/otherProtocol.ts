import path from 'node:path';
import { build } from 'esbuild';
import { daemonProtocol } from '../../../src/protocol/daemon/version.ts';

/** Protocol version of the daemon that a window left behind, by what happened to Vitrine since. */
export const otherProtocols = [
  ['an upgrade', daemonProtocol - 1],
  ['a downgrade', daemonProtocol + 1],
] as const;

const built = new Map<number, Promise<string>>();

/** `daemon.js` of a build that has another protocol version. */
export function daemonOf(protocol: number): Promise<string> {
  const found = built.get(protocol) ?? buildDaemon(protocol);
  built.set(protocol, found);
  return found;
}

async function buildDaemon(protocol: number): Promise<string> {
  const outfile = path.resolve(`dist/test/protocol${protocol}/daemon.js`);
  await build({
    entryPoints: ['src/daemon/main.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    define: { VITRINE_PROTOCOL: String(protocol) },
    banner: {
      js: "import{createRequire as vitrineCreateRequire}from'node:module';const require=vitrineCreateRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}
