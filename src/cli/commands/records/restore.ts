import { EngineFailure } from '../../../engine/failures/failures.ts';
import { visibleLine } from '../../../model/text/visibleText.ts';
import type { RestoreResult, RestorePoint, RestoreTarget } from '../../../model/files/restore.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { parseOptions } from '../../options/args.ts';
import { writeLines } from '../../print/output.ts';
import { createEngine, storeHelp } from '../../run/engine.ts';

const help = `Usage: vitrine restore ses_… --at ENTRY [options]
       vitrine restore ses_… --undo [options]
       vitrine restore ses_…

Restores the files of a session's folder as they were before the agent got the prompt ENTRY ("vitrine show" prints the
entry numbers). The current files are copied first, so that --undo can restore them. Ignored files are not touched.
Without --at and --undo, lists the entries at which Vitrine copied the files.
Exit code 1: some files could not be restored; stderr says which.

  --at ENTRY         number of a prompt or of the end of a run, from that list
  --undo             restores the files as they were before the last restore
  --dry-run          only prints what would change
  --json             prints one JSON value per line
${storeHelp}`;

const flag = { type: 'boolean' } as const;
const options = {
  store: { type: 'string' },
  at: { type: 'string' },
  undo: flag,
  'dry-run': flag,
  json: flag,
} as const;

export const restore: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('restore', { args: [...args], options, allowPositionals: true });
    const [id, ...others] = positionals;
    if (id === undefined || others.length > 0)
      throw new UsageError('Specify one session.', 'See "vitrine sessions" for session IDs.');
    const target = targetOf(values.at, values.undo === true);
    const json = values.json === true;
    const engine = createEngine(context, { store: values.store });
    try {
      if (target === null) return await list(await engine.restores.points(id), json, context);
      if (values['dry-run'] !== true) return await report(await engine.restores.restore(id, target), json, context);
      return await report({ ...(await engine.restores.preview(id, target)), failed: [] }, json, context);
    } catch (error) {
      if (EngineFailure.is(error)) throw new UsageError(error.message, error.detail);
      throw error;
    } finally {
      await engine.dispose();
    }
  },
};

function targetOf(at: string | undefined, undo: boolean): RestoreTarget | null {
  if (at !== undefined && undo) throw new UsageError('--at and --undo cannot be used together.', 'Remove one of them.');
  if (undo) return { undo: true };
  if (at === undefined) return null;
  if (!/^\d{1,9}$/.test(at))
    throw new UsageError(
      `"${at}" is not the number of an entry (--at).`,
      'See "vitrine restore ses_…" for the numbers.',
    );
  return { entry: Number(at) };
}

async function list(points: readonly RestorePoint[], json: boolean, { stdout, stderr }: CliContext): Promise<number> {
  if (json) await writeLines(stdout, points);
  else
    for (const { entry, kind, at } of points)
      stdout.write(`[${entry}] ${at.slice(0, 19).replace('T', ' ')} ${kind === 'prompt' ? 'prompt' : 'end of run'}\n`);
  if (points.length === 0) stderr.write('vitrine: Vitrine has no copies of the files of this session.\n');
  return 0;
}

const signs = { changed: 'M', created: 'A', deleted: 'D' } as const;
const reasons = {
  ignored: 'git ignored it at that time, so it may have existed',
  tooLarge: 'it is too large to copy',
  notReadable: 'it cannot be read',
  inTheWay: 'an ignored file with this name exists',
} as const;

async function report(
  { changes, skipped, failed }: RestoreResult,
  json: boolean,
  { stdout, stderr }: CliContext,
): Promise<number> {
  if (json) await writeLines(stdout, [{ changes, skipped, failed }]);
  else
    for (const { path, kind, mode } of changes)
      stdout.write(`${signs[kind]} ${visibleLine(path)}${mode === true ? ' (permissions)' : ''}\n`);
  if (changes.length === 0) stderr.write('vitrine: No files differ.\n');
  for (const { path, why } of skipped)
    stderr.write(`vitrine: ${visibleLine(path)} was not changed: ${reasons[why]}.\n`);
  for (const path of failed) stderr.write(`vitrine: ${visibleLine(path)} could not be restored.\n`);
  return failed.length > 0 ? 1 : 0;
}
