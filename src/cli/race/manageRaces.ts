import type { DaemonConnection } from '../../client/connection.ts';
import type { Race } from '../../model/race/race.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import { UsageError, type CliContext } from '../command.ts';
import { writeLines } from '../print/output.ts';
import { withDaemonErrors } from '../run/daemon.ts';
import { comparisonText } from './comparisonText.ts';
import { raceContext } from './startRace.ts';
import { counted } from '../print/counted.ts';

export interface ManageOptions {
  readonly json: boolean;
  readonly force: boolean;
  readonly branch: boolean;
}

interface RaceAction extends ManageOptions {
  readonly context: CliContext;
  readonly daemon: DaemonConnection;
  readonly args: readonly string[];
}

const done = 0;
const exitCodeIfRefused = 1;

/** Commands for races that are already there. */
export const raceCommands: Readonly<Record<string, (action: RaceAction) => Promise<number>>> = {
  async list({ context, daemon, json }) {
    const races = await withDaemonErrors(() => daemon.call('races', {}));
    if (json) await writeLines(context.stdout, races);
    else for (const race of races) context.stdout.write(`${raceLine(race)}\n`);
    return done;
  },

  async show(action) {
    const { context, daemon, json } = action;
    const { race_id, folder } = await raceOf(action);
    await printComparison(context, daemon, { race_id, folder }, json);
    return done;
  },

  async stop(action) {
    const { race_id } = await raceOf(action);
    await withDaemonErrors(() => action.daemon.call('stopRace', { race_id }));
    return done;
  },

  async apply(action) {
    const { context, daemon, json, branch } = action;
    const { race_id, folder } = await raceOf(action);
    const [, lane] = action.args;
    if (lane === undefined) throw new UsageError('Specify a result.', '"vitrine race show" prints the names.');
    const how = branch ? 'branch' : 'patch';
    const applied = await withDaemonErrors(() =>
      daemon.call('applyRace', { race_id, lane, how, context: raceContext(folder, context.env) }),
    );
    if (json) await writeLines(context.stdout, [applied]);
    else context.stdout.write(`${visibleLine(applyResultText(applied, folder, race_id))}\n`);
    return done;
  },

  async undo(action) {
    const { context, daemon, json } = action;
    const { race_id, folder } = await raceOf(action);
    const result = await withDaemonErrors(() =>
      daemon.call('undoRace', { race_id, context: raceContext(folder, context.env) }),
    );
    if (json) await writeLines(context.stdout, [result]);
    else context.stdout.write(`Restored ${counted(result.files.length, 'file')} in ${visibleLine(folder)}.\n`);
    return done;
  },

  async clean(action) {
    const { context, daemon, json, force } = action;
    const { race_id, folder } = await raceOf(action);
    const result = await withDaemonErrors(() =>
      daemon.call('cleanRace', { race_id, force, context: raceContext(folder, context.env) }),
    );
    if (json) await writeLines(context.stdout, [result]);
    else if (result.removed) context.stdout.write(`Removed the worktrees and branches of ${race_id}.\n`);
    else context.stderr.write(lossText(result, race_id));
    return result.removed ? done : exitCodeIfRefused;
  },
};

export async function printComparison(
  context: CliContext,
  daemon: DaemonConnection,
  { race_id, folder }: Pick<Race, 'race_id' | 'folder'>,
  json: boolean,
): Promise<void> {
  const comparison = await withDaemonErrors(() =>
    daemon.call('compareRace', { race_id, context: raceContext(folder, context.env) }),
  );
  if (json) await writeLines(context.stdout, [comparison]);
  else context.stdout.write(comparisonText(comparison));
}

async function raceOf({ daemon, args: [race_id] }: RaceAction): Promise<Race> {
  if (race_id === undefined) throw new UsageError('Specify a race.', 'See "vitrine race list".');
  if (!/^race_[0-9a-f]{12}$/.test(race_id))
    throw new UsageError(`"${race_id}" is not a race ID.`, 'See "vitrine race list".');
  return (await withDaemonErrors(() => daemon.call('race', { race_id }))).race;
}

function raceLine({ race_id: id, state, created_at: at, lanes, folder, prompt }: Race): string {
  const [title = ''] = prompt.trim().split('\n', 1);
  const names = lanes.map(({ name }) => name).join(',');
  const time = at.slice(0, 16).replace('T', ' ');
  return visibleLine([id, state.padEnd(11), time, names, folder, title.slice(0, 80)].join('  '));
}

function applyResultText(applied: ResultOf<'applyRace'>, folder: string, id: string): string {
  if (applied.how === 'branch') return `Created the branch ${applied.branch ?? ''}.`;
  if (applied.files.length === 0) return `${folder} already has this result.`;
  return `Changed ${counted(applied.files.length, 'file')} in ${folder}. To undo: vitrine race undo ${id}`;
}

function lossText({ losses }: ResultOf<'cleanRace'>, id: string): string {
  const lines = losses.flatMap(({ lane, worktree, files }) => [
    `  ${lane}: ${files === null ? 'unknown changes' : counted(files.length, 'changed file')} in ${worktree}`,
    ...(files ?? []).slice(0, 10).map((file) => `    ${file}`),
  ]);
  return [
    'vitrine: This work exists only in the worktrees of the race:',
    ...lines.map((line) => visibleLine(line)),
    `Apply it ("vitrine race apply ${id} NAME"), or delete it with --force. Nothing was removed.`,
    '',
  ].join('\n');
}
