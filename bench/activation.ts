import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { repository } from '../test/support/host/install/cache.mjs';
import { median, type Row } from './harness.ts';

/** A stand-in for the `vscode` module, with all declared exports. Each can be called, constructed and read. */
function stub(): string {
  const types = readFileSync(path.join(repository, 'node_modules/@types/vscode/index.d.ts'), 'utf8');
  const names = types.matchAll(/^\texport (?:abstract )?(?:class|enum|namespace|function|const|let) (\w+)/gm);
  const exports = [...new Set([...names].map(([, name]) => name))].map((name) => `export const ${name} = thing;`);
  return `const thing = new Proxy(class {}, {
    get: (target, key) => key in target ? target[key] : key === Symbol.toPrimitive ? () => '' : thing,
    apply: () => thing, construct: () => thing,
  });\n${exports.join('\n')}`;
}

/** Program for a new process per start, since modules are cached. Prints milliseconds of processor time. */
const program = `
import { registerHooks } from 'node:module';
const stub = 'data:text/javascript;base64,' + process.argv[2];
registerHooks({ resolve: (name, context, next) => name === 'vscode' ? { url: stub, shortCircuit: true } : next(name, context) });
// Modules that VS Code's own code has already loaded.
for (const module of [stub, 'node:crypto', 'node:fs/promises', 'node:os', 'node:path', 'node:url']) await import(module);
const started = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(started);
console.log((user + system) / 1000);
`;

/** What our code adds to VS Code's start: loading dist/extension.js and running it up to `activate`. */
export async function activation(starts = 15): Promise<Row> {
  const extension = pathToFileURL(path.join(repository, 'dist/extension.js')).href;
  const source = Buffer.from(stub()).toString('base64');
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const args = ['--input-type=module', '-e', program, extension, source];
    times.push(Number((await promisify(execFile)(process.execPath, args)).stdout));
  }
  const detail = `best ${Math.min(...times).toFixed(1)} ms of ${starts} fresh processes`;
  return { name: 'activation: import of the extension', value: median(times), unit: 'ms', goal: 20, detail };
}
