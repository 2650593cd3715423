import pg from 'pg';
import { readAudit } from '../../src/team/audit.ts';
import { findShared, listShared, readLines } from '../../src/team/records/sharedSessions.ts';
import { claimRun, listRuns, reportRun, expireRuns } from '../../src/team/runs/teamRuns.ts';
import { aSummary } from '../../test/support/sessions/records.ts';
import { TeamDatabase } from '../../test/support/team/database.ts';
import { removeTeamServer } from '../../test/support/team/server.ts';
import { median, type Row } from '../harness.ts';

const linesOfSession = 100;
const members = 20;
const listed = 500;
const rounds = 60;
/** For SQL, of the row `n`. */
const [session, run] = [`'ses_' || lpad(to_hex(n), 12, '0')`, `'run_' || lpad(to_hex(n), 12, '0')`];
const job = `json_build_object('executor_type', 'claude-code', 'run', json_build_object('run_id', ${run},
  'session_id', ${session}, 'type', 'start_session', 'prompt', 'x', 'execution_mode', 'sync', 'status', 'pending',
  'created_at', '2026-01-01T00:00:00.000Z'))`;
const deleteOldest = `SELECT vitrine.delete_before((SELECT min(updated_at) FROM vitrine.sessions) + interval '1 microsecond')`;
/** More than there are sessions. */
const firstWaiting = 2 ** 32;

/** Milliseconds of each reading, at one size. */
type Times = Readonly<Record<string, number>>;

/**
 * A team's database with few sessions, and then with many: lists, opening, claims and the audit must not take longer with its
 * size. `VITRINE_BENCH_SESSIONS` changes the larger size, and `VITRINE_BENCH_RATIO` how many times the smaller one it is.
 */
export async function teamGrowth(): Promise<readonly Row[]> {
  const large = Number(process.env['VITRINE_BENCH_SESSIONS'] ?? 20_000);
  const database = await TeamDatabase.create();
  try {
    const user = await database.addMember('alice');
    const clients = {
      client: await database.connect(user),
      auditor: await database.connect(await database.addMember('auditor', 'auditor')),
      owner: await database.connect(database.lead),
    };
    const small = Math.round(large / Number(process.env['VITRINE_BENCH_RATIO'] ?? 10));
    await fill(database, 0, small);
    const before = await measure(clients, small);
    await fill(database, small, large);
    const after = await measure(clients, large);
    return Object.entries(after).map(([name, ms]) => ({
      name: `team: ${name}, ${large} sessions / ${small}`,
      value: ms / (before[name] ?? NaN),
      unit: '×',
      goal: 2,
      detail: `${ms.toFixed(2)} against ${(before[name] ?? NaN).toFixed(2)} ms; ${large * linesOfSession} lines`,
    }));
  } finally {
    await database.drop();
    await removeTeamServer();
  }
}

/** Adds sessions with their lines, ended runs, costs and audit, spread over a year, as if the team had worked so long. */
async function fill(database: TeamDatabase, from: number, to: number): Promise<void> {
  const summary = JSON.stringify(aSummary({ session_id: 'ses_ffffffffffff', title: 'Add a test for the parser' }));
  const at = `clock_timestamp() - (1 - n / ${to}::float) * interval '365 days'`;
  // Ended runs stay for 90 days.
  const recent = `clock_timestamp() - (1 - n / ${to}::float) * interval '80 days'`;
  const range = `generate_series(${from + 1}, ${to}) AS n`;
  const member = `'member-' || n % ${members}`;
  // Without the time limits of a member.
  const client = new pg.Client(database.server.adminConfig(database.name));
  await client.connect();
  try {
    await client.query('ALTER TABLE vitrine.sessions DISABLE TRIGGER count_cost');
    await client.query(
      `INSERT INTO vitrine.sessions (session_id, owner, share, hostname, summary, updated_at, lines)
       SELECT ${session}, ${member}, 'records', 'host',
         replace($1, 'ses_ffffffffffff', ${session})::json, ${at}, ${linesOfSession} FROM ${range}`,
      [summary],
    );
    // Each line would look up its session otherwise.
    await client.query('SET session_replication_role = replica');
    await client.query(
      `INSERT INTO vitrine.lines (session_id, seq, line, hash)
       SELECT ${session}, seq, repeat('A line of a record. ', 10), repeat('0', 64)
       FROM ${range}, generate_series(0, ${linesOfSession - 1}) AS seq`,
    );
    await client.query('SET session_replication_role = origin');
    await client.query(
      `INSERT INTO vitrine.runs (run_id, session_id, type, requested_by, job, executor_type, status, created_at, completed_at)
       SELECT ${run}, ${session}, 'start_session', ${member}, ${job}, 'claude-code', 'completed', ${recent}, ${recent} FROM ${range}`,
    );
    await client.query(
      `INSERT INTO vitrine.spending AS s (day, member, agent, project, usd)
       SELECT (${at})::date, ${member}, 'agent-' || n % 3, '/work/project-' || n % 30, 0.5 * count(*) FROM ${range}
       GROUP BY 1, 2, 3, 4
       ON CONFLICT (day, member, agent, project) DO UPDATE SET usd = s.usd + excluded.usd`,
    );
    await client.query(
      `INSERT INTO vitrine.audit (at, who, what, session_id)
       SELECT ${at}, ${member}, 'share', ${session} FROM ${range}, generate_series(1, 3)`,
    );
    if (from === 0)
      await client.query(
        `INSERT INTO vitrine.budgets (scope, key, period, limit_usd, set_by)
         SELECT 'team', '', 'month', 1e9, 'lead' UNION ALL
         SELECT 'member', ${member}, 'day', 1e9, 'lead' FROM generate_series(1, ${members}) AS n UNION ALL
         SELECT 'agent', 'agent-' || n, 'month', 1e9, 'lead' FROM generate_series(0, 2) AS n`,
      );
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}

interface Clients {
  readonly client: pg.Client;
  readonly auditor: pg.Client;
  readonly owner: pg.Client;
}

async function measure({ client, auditor, owner }: Clients, size: number): Promise<Times> {
  const [newest] = await listShared(client, 1);
  const register = `SELECT vitrine.register_runner(ARRAY['lnch_000000000000'], 'one', 'host', '/work', 'claude-code', '{}', 8, NULL)`;
  await client.query(register);
  const id = newest?.session_id ?? '';
  await client.query(
    `SELECT vitrine.create_run(${run}, ${session}, 'start_session', ${job}, 'claude-code', NULL, NULL, NULL, NULL, '{}', false, NULL)
     FROM generate_series($1::bigint, $1::bigint + ${rounds}) AS n`,
    [firstWaiting + size],
  );
  const since = new Date(Date.now() - 250 * 86_400_000);
  const times = {
    'list of sessions': await timed(() => listShared(client, listed)),
    'list of runs': await timed(() => listRuns(client)),
    'opening a session': await timed(async () => [await findShared(client, id), await readLines(client, id, 0)]),
    claim: await timed(async () => {
      const claimed = await claimRun(client, 'one', []);
      if (claimed === null) throw new Error('No run was left.');
      return async () => {
        await reportRun(client, claimed.token ?? '', {
          run_id: claimed.job.run.run_id,
          status: 'completed',
        });
      };
    }),
    'sweep of lost runs': await timed(() => expireRuns(client)),
    'page of the audit': await timed(() => readAudit(auditor, { from: since, to: null }).next()),
    'deleting the oldest session': await timed(() => owner.query(deleteOldest)),
  };
  return times;
}

/** Median of repeated readings, in ms. What `work` resolves to is called between them. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const after = await work();
    all.push(performance.now() - started);
    if (typeof after === 'function') await (after as () => Promise<void>)();
  }
  return median(all);
}
