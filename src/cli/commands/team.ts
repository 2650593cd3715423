import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { packageFolder } from '../../engine/packageInfo.ts';
import { sessionIdSchema } from '../../model/session/session.ts';
import { shareSchema } from '../../model/session/share.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import { TeamError } from '../../team/errors.ts';
import { parseOptions } from '../options/args.ts';
import { UsageError, type CliContext, type Command } from '../command.ts';
import { writeLines } from '../print/output.ts';
import { runningDaemon, startedDaemon, withDaemonErrors } from '../run/daemon.ts';
import { storeFolder, storeHelp } from '../run/engine.ts';

const help = `Usage: vitrine team init URL [--down N]
       vitrine team join URL
       vitrine team status|doctor [--json]
       vitrine team share ses_…|DIR [--as nothing|metadata|records]
       vitrine team budget [team|member=NAME|agent=NAME|project=DIR day|month USD|none]
       vitrine team leave [--delete-mine]

Shares sessions and runs with a team through one PostgreSQL database (docs/team.md).
The URL has no password: postgres://alice@db.example.org/team. Vitrine takes the password from PGPASSWORD, or from the
password file (PGPASSFILE, ~/.pgpass). VITRINE_TEAM_URL replaces URL and may have a password.
Exit code 0: done; 1: doctor found a problem; 2: rejected or not reachable.

  init               creates or updates the schema (database owner only)
  join               joins a team; shares nothing yet
  status             shows the team, its members and what you share
  doctor             checks address, login, server, clock and schema
  share              shares a session, or future runs in a folder; --as nothing stops sharing
  budget             lists, sets or removes budgets; only the team's owner can change them. While a budget is used up,
                     team runs wait
  leave              ends your membership; local sessions stay

  --down N           with init: reverts the newest N migrations of the schema, and deletes the data that only they store
  --as LEVEL         nothing, metadata (such as title, agent, cost), or records (default): also transcripts, with
                     secrets masked
  --delete-mine      also deletes all your data in the team; tombstones without content remain
  --json             one JSON object per line
${storeHelp}`;

const options = {
  down: { type: 'string' },
  as: { type: 'string' },
  'delete-mine': { type: 'boolean' },
  json: { type: 'boolean' },
  store: { type: 'string' },
} as const;

const done = 0;
const problemFound = 1;

type Values = ReturnType<typeof parse>['values'];

/** Options of each action, besides --store. */
const actions: Readonly<Record<string, { readonly options: readonly string[]; readonly run: Action }>> = {
  init: { options: ['down'], run: init },
  join: { options: [], run: join },
  status: { options: ['json'], run: printStatus },
  doctor: { options: ['json'], run: doctor },
  share: { options: ['as'], run: share },
  budget: { options: ['json'], run: budget },
  leave: { options: ['delete-mine'], run: leave },
};
type Action = (
  context: CliContext,
  values: Values,
  argument: string | undefined,
  others: readonly string[],
) => Promise<number>;

export const team: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parse(args);
    const [name = '', url, ...others] = positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw new UsageError('Specify an action.', 'See "vitrine team --help".');
    const foreignOption = Object.keys(values).find((option) => option !== 'store' && !action.options.includes(option));
    if (foreignOption !== undefined)
      throw new UsageError(`--${foreignOption} does not apply to "team ${name}".`, 'See "vitrine team --help".');
    const takesMore = name === 'init' || name === 'join' || name === 'share';
    if (name !== 'budget' && (others.length > 0 || (url !== undefined && !takesMore)))
      throw new UsageError(`Unexpected argument: "${others[0] ?? url ?? ''}".`, 'See "vitrine team --help".');
    try {
      return await action.run(context, values, url, others);
    } catch (error) {
      if (TeamError.is(error)) throw new UsageError(error.message, error.next);
      throw error;
    }
  },
};

function parse(args: readonly string[]) {
  return parseOptions('team', { args: [...args], options, allowPositionals: true });
}

const migrationsFolder = path.join(packageFolder(import.meta.dirname), 'media/team');

/** Names of this version's migrations, oldest first. */
async function migrationNames(): Promise<readonly string[]> {
  const files = await readdir(migrationsFolder);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();
}

async function loginOfUrl({ env }: CliContext, url: string | undefined) {
  const { loginAt, loginOfEnvironment } = await import('../../team/login.ts');
  const login = url === undefined ? await loginOfEnvironment(env) : await loginAt(url, env);
  if (login === null) throw new UsageError('The address of the database is missing.', 'See "vitrine team --help".');
  return login;
}

async function storeLogin(context: CliContext, { store }: Values) {
  const { requireLogin } = await import('../../team/login.ts');
  return requireLogin(storeFolder(context, store), context.env);
}

async function init(context: CliContext, { down }: Values, url: string | undefined): Promise<number> {
  const login = await loginOfUrl(context, url);
  const [{ withClient }, { migrate }, { formatAddress }] = await Promise.all([
    import('../../team/database/connection.ts'),
    import('../../team/database/migrate.ts'),
    import('../../team/database/address.ts'),
  ]);
  const count = down === undefined ? undefined : countOf(down);
  const dir = migrationsFolder;
  const names = await withClient(login, (client) =>
    migrate(client, count === undefined ? { dir, direction: 'up' } : { dir, direction: 'down', count }),
  );
  const verb = count === undefined ? 'Applied' : 'Reverted';
  context.stdout.write(names.length === 0 ? 'The schema is up to date.\n' : `${verb}: ${names.join(', ')}\n`);
  if (count === undefined) {
    const { database } = login.address;
    context.stdout.write(
      `Members: GRANT vitrine_member_${database} TO name; auditors: GRANT vitrine_auditor_${database} TO name\n` +
        `They join with: vitrine team join ${formatAddress({ ...login.address, user: 'NAME' })}\n`,
    );
  }
  return done;
}

function countOf(value: string): number {
  const count = Number(value);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UsageError(`"${value}" is not a number of migrations (--down).`, 'Use a number such as 1.');
}

async function join(context: CliContext, values: Values, url: string | undefined): Promise<number> {
  const login = await loginOfUrl(context, url);
  const [{ withClient }, { joinTeam }, { writeTeam }, { formatAddress }] = await Promise.all([
    import('../../team/database/connection.ts'),
    import('../../team/membership.ts'),
    import('../../team/teamFile.ts'),
    import('../../team/database/address.ts'),
  ]);
  const kind = await withClient(login, joinTeam);
  await writeTeam(storeFolder(context, values.store), login.address);
  await reload(context, values, login.password);
  context.stdout.write(`Joined ${formatAddress(login.address)} as ${kind}.\n`);
  return done;
}

/** A daemon that runs already learns of the change, and the password that it cannot read from this terminal. */
async function reload(context: CliContext, { store }: Values, password: string | undefined): Promise<void> {
  const daemon = await runningDaemon(context, { store });
  if (daemon === null) return;
  try {
    await withDaemonErrors(() => daemon.call('reloadTeam', { ...(password !== undefined && { password }) }));
  } finally {
    daemon.close();
  }
}

async function share(context: CliContext, values: Values, target: string | undefined): Promise<number> {
  const { success, data: as } = shareSchema.safeParse(values.as ?? 'records');
  if (!success)
    throw new UsageError(`"${values.as ?? ''}" cannot be shared (--as).`, 'Use "nothing", "metadata" or "records".');
  if (target === undefined) throw new UsageError('Specify a session or a folder.', 'See "vitrine team --help".');
  const session = sessionIdSchema.safeParse(target);
  const daemon = await startedDaemon(context, { store: values.store });
  try {
    await withDaemonErrors(() =>
      session.success
        ? daemon.call('shareSession', { session_id: session.data, share: as })
        : daemon.call('shareFolder', { folder: path.resolve(context.cwd, target), share: as }),
    );
  } finally {
    daemon.close();
  }
  return done;
}

async function budget(
  context: CliContext,
  values: Values,
  first: string | undefined,
  others: readonly string[],
): Promise<number> {
  const login = await storeLogin(context, values);
  const { budget } = await import('../team/budget.ts');
  return budget(context, login, first === undefined ? [] : [first, ...others], values.json === true);
}

async function leave(context: CliContext, values: Values): Promise<number> {
  const login = await storeLogin(context, values);
  const [{ withClient }, { leaveTeam }, { moveTeamFolder: setTeamAside }] = await Promise.all([
    import('../../team/database/connection.ts'),
    import('../../team/membership.ts'),
    import('../../team/teamFile.ts'),
  ]);
  const deleteMine = values['delete-mine'] === true;
  const deleted = await withClient(login, async (client) => {
    // The daemon has to stop sending before everything is deleted.
    const movedFolder = await setTeamAside(storeFolder(context, values.store));
    await reload(context, values, undefined);
    try {
      const count = await leaveTeam(client, deleteMine);
      await movedFolder.remove();
      return count;
    } catch (error) {
      await movedFolder.restore();
      await reload(context, values, login.password);
      throw error;
    }
  });
  context.stdout.write(`You have left the team.${deleteMine ? ` Deleted sessions: ${deleted}.` : ''}\n`);
  return done;
}

async function printStatus(context: CliContext, values: Values): Promise<number> {
  const login = await storeLogin(context, values);
  const [{ withClient }, { teamStatus }, { formatAddress }] = await Promise.all([
    import('../../team/database/connection.ts'),
    import('../../team/membership.ts'),
    import('../../team/database/address.ts'),
  ]);
  const url = formatAddress(login.address);
  const found = await withClient(login, teamStatus);
  if (values.json === true) await writeLines(context.stdout, [{ url, ...found }]);
  else {
    const { kind, members, sessions, own_sessions } = found;
    const rows = [
      `Team:            ${url}`,
      `Your role:       ${kind ?? 'none'}`,
      `Shared sessions: ${sessions}, ${own_sessions} of them yours`,
      ...members.map(({ name, kind, seen_at }) => `${name}  ${kind}  seen ${seen_at.slice(0, 16).replace('T', ' ')}`),
    ];
    for (const row of rows) context.stdout.write(`${visibleLine(row)}\n`);
  }
  return done;
}

async function doctor(context: CliContext, values: Values): Promise<number> {
  const login = await storeLogin(context, values);
  const { checkTeam } = await import('../../team/doctor.ts');
  const checks = await checkTeam(login, await migrationNames(), context.now);
  if (values.json === true) await writeLines(context.stdout, checks);
  else
    for (const { what, ok, detail } of checks) {
      context.stdout.write(visibleLine(`${ok ? 'ok     ' : 'PROBLEM'}  ${what.padEnd(9)} ${detail}`) + '\n');
    }
  return checks.every(({ ok }) => ok) ? done : problemFound;
}
