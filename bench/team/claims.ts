import { readFileSync } from 'node:fs';
import pg from 'pg';
import { claimRun } from '../../src/team/runs/teamRuns.ts';
import { TeamDatabase } from '../../test/support/team/database.ts';
import { removeTeamServer } from '../../test/support/team/server.ts';
import { median, type Row } from '../harness.ts';

/** Runs that a runner has at a time. */
const limit = 8;

/** What a queue needs at least: the oldest run whose demands the runner meets, skipping those that others are claiming. */
const bareClaim = `
  UPDATE vitrine.runs SET status = 'claimed', runner_id = $2, instance = $1, executed_by = $7,
    token = nextval('vitrine.fencing'), attempts = attempts + 1, claimed_at = clock_timestamp()
  WHERE run_id = (
    SELECT run_id FROM vitrine.runs
    WHERE status = 'pending' AND executor_type = $3
      AND (demand_hostname IS NULL OR demand_hostname = $4)
      AND (demand_project_dir IS NULL OR demand_project_dir = $5)
      AND demand_tags <@ $6
    ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED
  ) RETURNING *`;

interface Worker {
  readonly member: pg.Client;
  /** Executes the bare statement, which no policy or function holds back. */
  readonly admin: pg.Client;
  readonly instance: string;
  readonly runner: string;
  /** Processes of the server that serve `member` and `admin`. */
  readonly served: readonly [member: number, admin: number];
}

/**
 * Claims through Vitrine, as a member, against the bare statement on the same tables as administrator. Only the time of the
 * claims counts; both sides end their runs in the same way. It is processor time of client and server, because other programs
 * would slow down both by chance.
 */
export async function teamClaims(rounds = 40): Promise<readonly Row[]> {
  const database = await TeamDatabase.create();
  const admins: pg.Client[] = [];
  try {
    const user = await database.addMember('alice');
    const workers = await Promise.all(
      Array.from({ length: 8 }, async (_, index): Promise<Worker> => {
        const member = await database.connect(user);
        const admin = new pg.Client(database.server.adminConfig(database.name));
        await admin.connect();
        admins.push(admin);
        const [instance, runner] = [`instance-${index}`, `lnch_${index.toString(16).padStart(12, '0')}`];
        const register = `SELECT vitrine.register_runner(ARRAY[$1], $2, 'host', '/work', 'claude-code', '{gpu}', $3, NULL)`;
        await member.query(register, [runner, instance, limit]);
        return { member, admin, instance, runner, served: [await servedBy(member), await servedBy(admin)] };
      }),
    );
    const rows: Row[] = [];
    // The same number of claims, so that the runtime has compiled as much of what one worker executes.
    for (const count of [1, 8])
      rows.push(await compareClaims(workers.slice(0, count), user, (rounds * workers.length) / count));
    return rows;
  } finally {
    for (const admin of admins) await admin.end();
    await database.drop();
    await removeTeamServer();
  }
}

async function compareClaims(workers: readonly Worker[], user: string, rounds: number): Promise<Row> {
  const warmUp = Math.ceil(rounds / 5);
  await fill(workers, (rounds + warmUp) * 2 * workers.length * limit);
  const vitrineRounds: Round[] = [];
  const bare: Round[] = [];
  for (let round = 0; round < rounds + warmUp; round += 1) {
    const first = round % 2 === 0 ? await claimRound(workers, null) : undefined;
    const ofBare = await claimRound(workers, user);
    const ofOurs = first ?? (await claimRound(workers, null));
    if (round < warmUp) continue;
    vitrineRounds.push(ofOurs);
    bare.push(ofBare);
  }
  const claims = workers.length * limit;
  const per = (all: readonly Round[]): number => all.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / all.length / claims;
  const rate = (all: readonly Round[]): string => ((claims * 1000) / median(all.map(({ ms }) => ms))).toFixed(0);
  return {
    name: `team: claims, ${workers.length} worker${workers.length === 1 ? '' : 's'}, Vitrine / bare statement`,
    value: per(vitrineRounds) / per(bare),
    unit: '×',
    goal: 1 / 0.9,
    detail:
      `${per(vitrineRounds).toFixed(2)} against ${per(bare).toFixed(2)} ms of processor time; ` +
      `${rate(vitrineRounds)} a second against ${rate(bare)}`,
  };
}

async function fill([first]: readonly Worker[], count: number): Promise<void> {
  await first?.admin.query('TRUNCATE vitrine.runs, vitrine.requests, vitrine.audit');
  await first?.member.query(
    `SELECT vitrine.create_run('run_' || lpad(to_hex(n), 12, '0'), 'ses_' || lpad(to_hex(n), 12, '0'), 'start_session',
       json_build_object('executor_type', 'claude-code', 'run', json_build_object('run_id', 'run_' || lpad(to_hex(n), 12, '0'),
         'session_id', 'ses_' || lpad(to_hex(n), 12, '0'), 'type', 'start_session', 'prompt', 'x',
         'execution_mode', 'sync', 'status', 'pending', 'created_at', '2026-01-01T00:00:00.000Z')),
       'claude-code', NULL, NULL, NULL, NULL, CASE WHEN n % 2 = 0 THEN '{gpu}'::text[] ELSE '{}' END, false, NULL)
     FROM generate_series(1, $1::int) AS n`,
    [count],
  );
  await first?.admin.query('VACUUM ANALYZE vitrine.runs');
}

interface Round {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Each worker claims as many runs as it may have. `bareUser`: for whom the bare statement claims. */
async function claimRound(workers: readonly Worker[], bareUser: string | null): Promise<Round> {
  const served = workers.map(({ served: [member, admin] }) => (bareUser === null ? member : admin));
  const [started, before, client] = [performance.now(), serverMs(served), process.cpuUsage()];
  await Promise.all(
    workers.map(async (worker) => {
      const claimedIds: string[] = [];
      while (claimedIds.length < limit)
        claimedIds.push(bareUser === null ? await claim(worker, claimedIds) : await claimBare(worker, bareUser));
    }),
  );
  const { user, system } = process.cpuUsage(client);
  const round = { ms: performance.now() - started, cpuMs: serverMs(served) - before + (user + system) / 1000 };
  const end = `UPDATE vitrine.runs SET status = 'completed' WHERE instance = $1 AND status = 'claimed'`;
  for (const { admin, instance } of workers) await admin.query(end, [instance]);
  return round;
}

async function servedBy(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/** Processor time of these processes; Linux only. */
function serverMs(pids: readonly number[]): number {
  const spent = pids.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]));
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

async function claim({ member, instance }: Worker, claimedIds: readonly string[]): Promise<string> {
  const found = await claimRun(member, instance, claimedIds);
  if (found === null) throw new Error('No run was left.');
  return found.job.run.run_id;
}

async function claimBare({ admin, instance, runner }: Worker, user: string): Promise<string> {
  const { rows } = await admin.query<{ run_id: string }>({
    name: 'bare-claim',
    text: bareClaim,
    values: [instance, runner, 'claude-code', 'host', '/work', ['gpu'], user],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('No run was left.');
  return row.run_id;
}
