import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { diagnose, type Diagnosis } from '../../engine/diagnosis.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import { parseOptions } from '../options/args.ts';
import type { Command } from '../command.ts';
import { createEngine, storeFolder, storeHelp } from '../run/engine.ts';
import { counted } from '../print/counted.ts';

const help = `Usage: vitrine doctor [options]

Shows what Vitrine finds on this machine: Node.js, the store, its sessions, and why some are not listed.
For each agent: program, version, login, last error and search locations. Shows names of variables, never values.
Exit code 0: at least one agent can be started; 1: none can.

${storeHelp}`;

const minNodeVersion = 22;
/** Maximum number of deleted sessions to list, the newest. */
const maxDeleted = 50;

export const doctor: Command = {
  help,
  async run(args, context) {
    const { values } = parseOptions('doctor', { args: [...args], options: { store: { type: 'string' } } });
    const store = storeFolder(context, values.store);
    const engine = createEngine(context, { store: values.store });
    const found = await diagnose(engine, store);
    await engine.dispose();
    const old = Number(process.versions.node.split('.')[0]) < minNodeVersion;
    const lines = [
      `Node.js    ${process.version}${old ? ` (starting agents needs ${minNodeVersion} or newer)` : ''}`,
      `Store      ${store} (${await storeState(store)})`,
      ...sessionLines(found),
      ...found.agents.flatMap(describe),
    ];
    context.stdout.write(`${lines.join('\n')}\n`);
    const hasUsableAgent = found.agents.some(
      ({ report: { recording, program } }) => !recording && program !== null && !EngineFailure.is(program),
    );
    return hasUsableAgent && !old ? 0 : 1;
  },
};

/** The nearest existing folder decides whether the store can be created. */
async function storeState(folder: string): Promise<string> {
  try {
    await access(folder, constants.W_OK);
    return 'writable';
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!missing || path.dirname(folder) === folder) return 'not writable';
    return (await storeState(path.dirname(folder))) === 'not writable' ? 'cannot be created' : 'does not exist yet';
  }
}

function sessionLines(found: Diagnosis): string[] {
  const { summaries, running, interrupted, hidden, folders, unreadable, deleted, leases } = found;
  const lost = folders.filter(({ folder, isMissing }) => isMissing || folder === null);
  const places = lost.map(
    ({ folder, sessions }) =>
      `  ${folder ?? 'No folder'}: ${counted(sessions.length, 'session')}${folder === null ? '' : ', missing folder'}`,
  );
  return [
    `Sessions   ${summaries.length} found, ${summaries.length - hidden.length} listed, ${running} running, ${interrupted} interrupted`,
    `Not listed ${hidden.length} hidden, ${unreadable.length} cannot be read, ${deleted.length} permanently deleted`,
    ...hidden.map((id) => `  ${id}: hidden by you (vitrine sessions --all)`),
    ...unreadable.map(({ id, reason }) => `  ${id}: cannot be read: ${reason}`),
    ...deleted.slice(-maxDeleted).map((id) => `  ${id}: permanently deleted (vitrine audit)`),
    ...(places.length === 0 ? [] : ['In missing folders:', ...places]),
    ...(leases.length === 0 ? [] : [`Locks held by running agents: ${leases.join(', ')}`]),
  ];
}

function describe({ report, lastError }: Diagnosis['agents'][number]): string[] {
  const { label, type, profile, recording, program, environment, signedIn } = report;
  const lines = [''];
  if (EngineFailure.is(program)) lines.push(program.message, program.detail);
  else if (recording || program === null) lines.push(`${label}: ready`);
  else {
    lines.push(`${label}: ${program.version ?? 'version unknown'}`, `  ${program.path}`);
    lines.push(
      `  Login: ${signedIn === undefined ? 'unknown (the program does not report it)' : signedIn ? 'yes' : 'no'}`,
    );
    lines.push('  Searched in:', ...program.tried.map((place) => `    ${place}`));
  }
  if (lastError !== null) {
    const at = lastError.updated_at.slice(0, 16).replace('T', ' ');
    lines.push(`  Last error: ${at} UTC, ${lastError.session_id}: ${lastError.reason ?? ''}`);
  }
  if (profile !== undefined) lines.push(`  Start with: --agent ${type} --profile ${profile}`);
  if (environment.removed.length > 0) lines.push(`  Variables not passed to it: ${environment.removed.join(', ')}`);
  if (environment.added.length > 0) lines.push(`  Added: ${environment.added.join(', ')}`);
  return lines;
}
