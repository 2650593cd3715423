import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { AgentReport } from '../../engine/api.ts';
import { EngineFailure } from '../../engine/failures.ts';
import { parseOptions } from '../args.ts';
import type { Command } from '../command.ts';
import { createEngine, storeFolder, storeHelp } from '../engine.ts';

const help = `Usage: vitrine doctor [options]

Says what Vitrine finds on this machine: agents and where they were looked for, the store, Node.js. Shows names of
variables, never values. Exit code 0 where an agent can be started, else 1.

${storeHelp}`;

const leastNode = 22;

export const doctor: Command = {
  help,
  async run(args, context) {
    const { values } = parseOptions('doctor', { args: [...args], options: { store: { type: 'string' } } });
    const store = storeFolder(context, values.store);
    const engine = createEngine(context, { store: values.store });
    const reports = await engine.agents({ fresh: true });
    await engine.dispose();
    const old = Number(process.versions.node.split('.')[0]) < leastNode;
    const lines = [
      `Node.js    ${process.version}${old ? ` (starting agents needs ${leastNode} or newer)` : ''}`,
      `Store      ${store} (${await storeState(store)})`,
      ...reports.flatMap(describe),
    ];
    context.stdout.write(`${lines.join('\n')}\n`);
    const usable = reports.some(
      ({ recording, program }) => !recording && program !== null && !EngineFailure.is(program),
    );
    return usable && !old ? 0 : 1;
  },
};

/** The nearest folder that exists decides whether the store can be made. */
async function storeState(folder: string): Promise<string> {
  try {
    await access(folder, constants.W_OK);
    return 'can be written';
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!missing || path.dirname(folder) === folder) return 'cannot be written';
    return (await storeState(path.dirname(folder))) === 'cannot be written' ? 'cannot be made' : 'not there yet';
  }
}

function describe({ label, type, profile, recording, program, environment }: AgentReport): string[] {
  const lines = [''];
  if (EngineFailure.is(program)) lines.push(program.message, program.detail);
  else if (recording || program === null) lines.push(`${label}: ready`);
  else {
    lines.push(`${label}: ${program.version ?? 'version unknown'}`, `  ${program.path}`);
    lines.push('  Looked in:', ...program.tried.map((place) => `    ${place}`));
  }
  if (profile !== undefined) lines.push(`  Started by: --agent ${type} --profile ${profile}`);
  if (environment.removed.length > 0) lines.push(`  Not passed on: ${environment.removed.join(', ')}`);
  return lines;
}
