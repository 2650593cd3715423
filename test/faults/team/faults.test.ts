import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sqlState } from '../../../src/team/database/connection.ts';
import { lineProblem, firstHead } from '../../../src/team/records/maskedLines.ts';
import { TeamDatabase } from '../../support/team/database.ts';
import { Cell, faultKinds } from '../../support/team/faults/cell.ts';
import { checkHistory, type FinalState, type HistoryEvent } from '../../support/team/faults/history.ts';
import { useTeamServer } from '../../support/team/suite.ts';

/** Faults in total; from 100 on with the required limit of recovery, and with a database that is killed again and again. */
const faults = Number(process.env['VITRINE_TEAM_FAULTS'] ?? faultKinds.length + 1);
const isFull = faults >= 100;
const cellCount = isFull ? 14 : faultKinds.length;
/** An idle machine needs less than 30 s. One that runs other tests may take longer. */
const recoveryMs = isFull ? 30_000 : 100_000;

describe('faults in a team', function () {
  useTeamServer(this);
  if (isFull) this.timeout(faults * 60_000);
  let database: TeamDatabase;
  let folder: string;
  beforeEach(async () => {
    database = await TeamDatabase.create();
    folder = mkdtempSync(path.join(tmpdir(), 'team-faults-'));
    await database.server.asAdmin(
      (client) =>
        client.query(`
          CREATE TABLE public.full_disks (name text);
          GRANT SELECT ON public.full_disks TO PUBLIC;
          CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF EXISTS (SELECT FROM public.full_disks AS f WHERE f.name = session_user) THEN
              RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full';
            END IF;
            RETURN NEW;
          END $$;
          CREATE TRIGGER refuse BEFORE INSERT ON vitrine.lines FOR EACH ROW EXECUTE FUNCTION public.refuse();
          CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON vitrine.runs FOR EACH ROW EXECUTE FUNCTION public.refuse();
        `),
      database.name,
    );
  });
  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('lose nothing, execute nothing twice at once, and are over in time', async () => {
    const events: HistoryEvent[] = [];
    const record = (event: HistoryEvent): number => events.push(event);
    let resumedAt = 0;
    const cells: Cell[] = [];
    for (let index = 0; index < cellCount; index += 1) {
      const users = [await database.addMember(`a${index}`), await database.addMember(`b${index}`)] as const;
      const name = `cell-${index}`;
      const deps = { database, users, folder, name, record, holdsLong: isFull };
      cells.push(await Cell.open({ ...deps, resumedAt: () => resumedAt }));
    }
    let left = faults;
    const take = (): boolean => (left -= 1) >= 0;
    const working = new AbortController();
    const killed = (async () => {
      do {
        // A lost runner is given up 20 s after the database is back.
        await delay(isFull ? 20_000 + Math.random() * 20_000 : 1500, undefined, { signal: working.signal });
        if (!take()) return;
        await database.server.stop('SIGQUIT');
        await delay(Math.random() * (isFull ? 3000 : 1000));
        await database.server.resume();
        resumedAt = performance.now();
        // The cells tell how long it took: their own faults count from then on.
        record({ at: performance.now(), kind: 'fault', name: 'database killed', recoveredMs: 0 });
      } while (isFull);
    })().catch(() => undefined);
    await Promise.all(
      cells.map(async (cell, index) => {
        for (let turn = index; take(); turn += 1) {
          await cell.run(faultKinds[turn % faultKinds.length] ?? 'connection cut');
          if (!isFull) return;
        }
      }),
    );
    working.abort();
    await killed;
    await probeStale(events);
    const final = await finalState(cells.flatMap(({ sessions }) => sessions));
    await Promise.all(cells.map((cell) => cell.close()));

    const counts = new Map<string, number>();
    let slowest = 0;
    for (const event of events) {
      if (event.kind !== 'fault') continue;
      counts.set(event.name, (counts.get(event.name) ?? 0) + 1);
      slowest = Math.max(slowest, event.recoveredMs);
    }
    if (isFull) {
      const total = [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
      process.stdout.write(`${total}; slowest recovery ${Math.round(slowest)} ms; ${final.runs.size} runs\n`);
    }
    assert.ok(events.some(({ kind }) => kind === 'started') && events.some(({ kind }) => kind === 'stale'));
    assert.deepEqual(new Set(counts.keys()), new Set([...faultKinds, 'database killed']));
    assert.deepEqual(checkHistory(events, final, recoveryMs), []);
  });

  /** Whoever had a run reports its end once more, now that its claim is outdated. */
  async function probeStale(events: HistoryEvent[]): Promise<void> {
    const claims = events.flatMap((event) => (event.kind === 'started' ? [event] : [])).slice(-500);
    await database.server.asAdmin(async (client) => {
      for (const { run, token, by } of claims) {
        await client.query('RESET SESSION AUTHORIZATION');
        const current = await client.query(
          `SELECT FROM vitrine.runs WHERE run_id = $1 AND token = $2 AND status IN ('claimed', 'running', 'stopping')`,
          [run, token],
        );
        // Still current, although its machine never got the answer to its claim.
        if (current.rowCount !== 0) continue;
        await client.query(`SET SESSION AUTHORIZATION ${by}`);
        const report = client.query('SELECT vitrine.report_run($1, $2, $3, NULL)', [run, token, 'completed']);
        const refused = await report.then(
          () => false,
          (error: unknown) => sqlState(error) === 'VT005',
        );
        events.push({ at: performance.now(), kind: 'stale', run, token, refused });
      }
    }, database.name);
  }

  function finalState(sessions: readonly string[]): Promise<FinalState> {
    return database.server.asAdmin(async (client) => {
      const found = await client.query<{ run_id: string; status: string; completions: number }>(
        `SELECT r.run_id, r.status, (
           SELECT count(*)::int FROM vitrine.audit AS a WHERE a.run_id = r.run_id AND a.what = 'run_completed'
         ) AS completions FROM vitrine.runs AS r`,
      );
      const lines = new Map<string, readonly number[]>();
      for (const session of sessions) {
        const stored = await client.query<{ line: string; hash: string }>(
          'SELECT line, hash FROM vitrine.lines WHERE session_id = $1 ORDER BY seq',
          [session],
        );
        let head = firstHead;
        lines.set(
          session,
          stored.rows.map(({ line, hash }, index) => {
            assert.equal(lineProblem(line, hash, head), null);
            head = hash;
            const { n = index } = JSON.parse(line) as { n?: number };
            return n;
          }),
        );
      }
      return { runs: new Map(found.rows.map(({ run_id, ...run }) => [run_id, run])), lines };
    }, database.name);
  }

  it('are found in a history by the program that checks it', () => {
    const at = 0;
    const [run, session] = ['run', 'ses'];
    const sound: HistoryEvent[] = [
      { at, kind: 'queued', run },
      { at, kind: 'started', run, token: '1', by: 'a' },
      { at, kind: 'ended', run, token: '1' },
      { at, kind: 'started', run, token: '2', by: 'b' },
      { at, kind: 'ended', run, token: '2' },
      { at, kind: 'stale', run, token: '1', refused: true },
      { at, kind: 'written', session, line: 0 },
      { at, kind: 'written', session, line: 1 },
      { at, kind: 'fault', name: 'x', recoveredMs: 10 },
    ];
    const completed = { status: 'completed', completions: 1 };
    const final: FinalState = { runs: new Map([[run, completed]]), lines: new Map([[session, [0, 1]]]) };
    const check = (without: number, events: readonly HistoryEvent[], change: Partial<FinalState> = {}): string =>
      checkHistory([...sound.filter((_, index) => index !== without), ...events], { ...final, ...change }, 30).join();
    assert.equal(check(-1, []), '');
    assert.match(check(2, []), /executed twice at once/);
    assert.match(check(-1, [], { runs: new Map() }), /was lost/);
    assert.match(check(-1, [], { runs: new Map([[run, { status: 'running', completions: 0 }]]) }), /still running/);
    assert.match(check(-1, [], { runs: new Map([[run, { ...completed, completions: 2 }]]) }), /completed 2 times/);
    assert.match(check(-1, [{ at, kind: 'stale', run, token: '1', refused: false }]), /outdated claim 1 was accepted/);
    assert.match(check(-1, [], { lines: new Map([[session, [0]]]) }), /line 1 is missing/);
    assert.match(check(-1, [], { lines: new Map([[session, [1, 0]]]) }), /line 0 is missing/);
    assert.match(check(-1, [], { lines: new Map([[session, [0, 1, 1]]]) }), /extra lines/);
    assert.match(check(-1, [{ at, kind: 'fault', name: 'x', recoveredMs: 31 }]), /recovered after 31 ms/);
  });
});
