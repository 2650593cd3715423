import * as z from 'zod';
import { jobSchema, type ChangeRun, type Job, type Registration, type RunReport } from '../../coordinator/api.ts';
import type { RegisteredRunner } from '../../coordinator/runnerRegistry.ts';
import { listedRunnerSchema, type ListedRunner } from '../../model/session/runner.ts';
import { runIdSchema, runStatusSchema, sessionIdSchema, type Run } from '../../model/session/session.ts';
import type { Database } from '../database/connection.ts';

/** Runs in a list. */
const maxListed = 1000;
/** Runners of one folder and executor. */
export const maxPlaces = 64;

const at = z.date().nullable();
const rowSchema = z.object({
  run_id: runIdSchema,
  session_id: sessionIdSchema,
  requested_by: z.string(),
  executed_by: z.string().nullable(),
  job: z.unknown(),
  retry: z.boolean(),
  status: runStatusSchema,
  runner_id: z.string().nullable(),
  instance: z.string().nullable(),
  token: z.coerce.string().nullable(),
  error: z.string().nullable(),
  created_at: z.date(),
  claimed_at: at,
  started_at: at,
  completed_at: at,
  timeout_at: at,
});

/** A run of the team, with who has it. */
export interface TeamRun {
  readonly job: Job;
  readonly requestedBy: string;
  /** The member whose machine had it last; `null`: none. */
  readonly executedBy: string | null;
  /** Instance id of the process that has the run; `null` if none has. */
  readonly instance: string | null;
  /** Number of the claim, which every write about the run carries; `null`: not claimed. */
  readonly token: string | null;
  /** If its runner is lost, another one takes it. */
  readonly retry: boolean;
}

export interface TeamRunRequest {
  /** The pending job, as the queue created it. */
  readonly job: Job;
  readonly retry: boolean;
  /** Time in ms in which there must be a runner that could take it. */
  readonly timeoutMs: number;
}

/** @throws errors of the database */
export async function createRun(database: Database, { job, retry, timeoutMs }: TeamRunRequest): Promise<TeamRun> {
  const { run, executor_type } = job;
  const { hostname, project_dir, tags = [] } = run.demands ?? {};
  const { rows } = await database.query(
    'SELECT * FROM vitrine.create_run($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
    [
      ...[run.run_id, run.session_id, run.type, JSON.stringify(job), executor_type, run.agent_name, run.project_dir],
      ...[hostname, project_dir, tags, retry, timeoutMs],
    ],
  );
  return requireSingleRow(rows);
}

/** `null`: there is no such run. @throws errors of the database */
export async function stopRun(database: Database, id: string): Promise<TeamRun | null> {
  const { rows } = await database.query('SELECT * FROM vitrine.stop_run($1)', [id]);
  return rows.flatMap(runOf)[0] ?? null;
}

/** Moves a waiting run, or replaces its demands. `null` if there is no such run. @throws errors of the database */
export async function changeRun(database: Database, { run_id, move, demands }: ChangeRun): Promise<TeamRun | null> {
  const demandsJson = demands === undefined ? null : JSON.stringify(demands);
  const { rows } = await database.query('SELECT * FROM vitrine.change_run($1, $2, $3)', [run_id, move, demandsJson]);
  return rows.flatMap(runOf)[0] ?? null;
}

/** Those of these runs that exist, in order of creation. @throws errors of the database */
export async function findRuns(database: Database, ids: readonly string[]): Promise<readonly TeamRun[]> {
  const { rows } = await database.query('SELECT * FROM vitrine.runs WHERE run_id = ANY ($1) ORDER BY position', [ids]);
  return rows.flatMap(runOf);
}

/** The active run of a session; `null`: none. @throws errors of the database */
export async function findActiveRun(database: Database, session: string): Promise<TeamRun | null> {
  const { rows } = await database.query(
    `SELECT * FROM vitrine.runs WHERE session_id = $1 AND status IN ('claimed', 'running', 'stopping')`,
    [session],
  );
  return rows.flatMap(runOf)[0] ?? null;
}

/** The newest runs and all waiting ones, in order of creation. @throws errors of the database */
export async function listRuns(database: Database): Promise<readonly TeamRun[]> {
  const { rows } = await database.query(
    `SELECT * FROM (SELECT * FROM vitrine.runs ORDER BY created_at DESC LIMIT $1) AS newest ORDER BY position`,
    [maxListed],
  );
  return rows.flatMap(runOf);
}

/** @throws errors of the database */
export async function listRunners(database: Database): Promise<readonly ListedRunner[]> {
  const { rows } = await database.query<Record<string, unknown> & { registered_at: Date; heartbeat_at: Date }>(
    `SELECT runner_id, owner, hostname, project_dir, executor_type, tags, registered_at, heartbeat_at, run_limit AS limit, within,
            (SELECT count(*)::int FROM vitrine.runs AS r
             WHERE r.instance = runners.instance AND r.status IN ('claimed', 'running', 'stopping')) AS running,
            CASE WHEN clock_timestamp() - heartbeat_at < interval '15 seconds' THEN 'online' ELSE 'stale' END AS status,
            greatest(0, floor(extract(epoch FROM clock_timestamp() - heartbeat_at)))::int AS seconds_since_heartbeat
     FROM vitrine.runners ORDER BY registered_at`,
  );
  return rows.flatMap(({ registered_at, heartbeat_at, within, ...row }) => {
    const times = { registered_at: registered_at.toISOString(), last_heartbeat: heartbeat_at.toISOString() };
    const { data } = listedRunnerSchema.safeParse({ ...row, ...times, within: within ?? undefined });
    return data === undefined ? [] : [data];
  });
}

const offeredSchema = z.object({ run_limit: z.number(), within: z.array(z.string()).nullable() });

/** Runners that are online, with their limits. @throws errors of the database */
export async function onlineRunners(database: Database): Promise<readonly RegisteredRunner[]> {
  const online = (await listRunners(database)).filter(({ status }) => status === 'online');
  const { rows } = await database.query<{ runner_id: string }>(
    'SELECT runner_id, run_limit, within FROM vitrine.runners',
  );
  const limits = new Map(rows.map((row) => [row.runner_id, offeredSchema.parse(row)]));
  return online.flatMap((runner) => {
    const found = limits.get(runner.runner_id);
    if (found === undefined) return [];
    return [{ runner, limit: found.run_limit, ...(found.within !== null && { within: found.within }) }];
  });
}

/**
 * `idOf` returns the id of the first, second, … runner of this identity. Returns the assigned id. @throws errors of
 * the database
 */
export async function registerRunner(
  database: Database,
  { instance, hostname, project_dir, executor_type, tags = [], limit = 1, within }: Registration,
  idOf: (place: number) => string,
): Promise<string> {
  const ids = Array.from({ length: maxPlaces }, (_, place) => idOf(place));
  const { rows } = await database.query<{ id: string }>(
    'SELECT vitrine.register_runner($1, $2, $3, $4, $5, $6, $7, $8) AS id',
    [ids, instance, hostname, project_dir, executor_type, tags, limit, within],
  );
  return requireSingleRow(rows, (row: { id: string }) => row.id);
}

/** A run that a process has, as the database sees it. */
export interface RunClaim {
  readonly run_id: string;
  readonly token: string;
  readonly status: Run['status'];
}

/** The runs of this process. @throws errors of the database, SQLSTATE `VT006`: it has to register again */
export async function heartbeat(database: Database, instance: string): Promise<readonly RunClaim[]> {
  const { rows } = await database.query<RunClaim>('SELECT run_id, token::text, status FROM vitrine.heartbeat($1)', [
    instance,
  ]);
  return rows;
}

/** The first run that the runner may take, now its own. @throws errors of the database */
export async function claimRun(database: Database, instance: string, has: readonly string[]): Promise<TeamRun | null> {
  // Prepared: it is asked for more often than anything else.
  const text = 'SELECT * FROM vitrine.claim_run($1, $2)';
  const { rows } = await database.query({ name: 'vitrine_claim_run', text, values: [instance, has] });
  return rows.flatMap(runOf)[0] ?? null;
}

/** @throws errors of the database, SQLSTATE `VT005`: the run has ended, or another runner has it */
export async function reportRun(
  database: Database,
  token: string,
  { run_id, status, error }: RunReport,
): Promise<TeamRun> {
  const { rows } = await database.query('SELECT * FROM vitrine.report_run($1, $2, $3, $4)', [
    ...[run_id, token, status, error],
  ]);
  return requireSingleRow(rows);
}

/** For another runner. @throws errors of the database, SQLSTATE `VT005`: the run has ended, or another runner has it */
export async function returnRun(database: Database, id: string, token: string, reason: string): Promise<TeamRun> {
  const { rows } = await database.query('SELECT * FROM vitrine.return_run($1, $2, $3)', [id, token, reason]);
  return requireSingleRow(rows);
}

/** @throws errors of the database */
export async function leaveRunner(database: Database, instance: string, reason: string): Promise<void> {
  await database.query('SELECT vitrine.leave_runner($1, $2)', [instance, reason]);
}

/** Gives up runs that waited too long, and runners without heartbeats. @throws errors of the database */
export async function expireRuns(database: Database): Promise<void> {
  await database.query('SELECT vitrine.sweep()');
}

function requireSingleRow(rows: readonly unknown[]): TeamRun;
function requireSingleRow<R, T>(rows: readonly R[], map: (row: R) => T): T;
function requireSingleRow<R, T>(rows: readonly R[], map?: (row: R) => T): T | TeamRun {
  const [row] = rows;
  const found = row === undefined ? undefined : map === undefined ? runOf(row)[0] : map(row);
  if (found === undefined) throw new Error('The database returned an unexpected response.');
  return found;
}

/** Members write the jobs: what this version cannot read is left out. */
function runOf(record: unknown): readonly TeamRun[] {
  const row = rowSchema.safeParse(record).data;
  const job = jobSchema.safeParse(row?.job).data;
  if (row === undefined || job?.run.run_id !== row.run_id) return [];
  const { run_id, session_id, status, runner_id, error, requested_by: requestedBy, instance, token, retry } = row;
  const { executed_by: executedBy } = row;
  const { created_at, claimed_at, started_at, completed_at, timeout_at } = row;
  const time = (name: string, value: Date | null) => (value === null ? {} : { [name]: value.toISOString() });
  const run: Run = {
    ...job.run,
    ...{ run_id, session_id, status },
    created_at: created_at.toISOString(),
    ...(runner_id !== null && { runner_id }),
    ...(error !== null && { error }),
    ...time('claimed_at', claimed_at),
    ...time('started_at', started_at),
    ...time('completed_at', completed_at),
    ...time('timeout_at', timeout_at),
  };
  return [{ job: { ...job, run }, requestedBy, executedBy, instance, token, retry }];
}
