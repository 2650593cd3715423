import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import { withClient } from '../../../src/team/database/connection.ts';
import { listShared, type SharedSession } from '../../../src/team/records/sharedSessions.ts';
import { DaemonBench } from '../daemon/bench.ts';
import type { Step } from '../fakeAgent/engine.ts';
import { until } from '../until.ts';
import type { TeamDatabase } from './database.ts';

export interface OpenMachine {
  readonly machine: TeamMachine;
  readonly connection: DaemonConnection;
  readonly user: string;
}

/** Resolves when the daemon has reached the team. */
export async function connectedToTeam(daemon: DaemonConnection): Promise<void> {
  await until('the connection to the team', async () => (await daemon.call('teamState', {})).team?.is_connected);
}

/** A store with a daemon of its own that belongs to a team, as on a machine of its own. */
export class TeamMachine extends DaemonBench {
  readonly database: TeamDatabase;
  readonly user: string;

  private constructor(database: TeamDatabase, user: string) {
    super();
    this.database = database;
    this.user = user;
    this.environment['PGPASSWORD'] = database.password(user);
  }

  static async join(database: TeamDatabase, user: string): Promise<TeamMachine> {
    const machine = new TeamMachine(database, user);
    const { code, stderr } = await machine.vitrine('team', 'join', database.url(user)).ended;
    assert.equal(code, 0, stderr);
    return machine;
  }

  /** Joins through the daemon, which is quicker; resolves with the connection to it when the daemon has reached the team. */
  static async open(database: TeamDatabase, user: string): Promise<OpenMachine> {
    const machine = new TeamMachine(database, user);
    const connection = await machine.connect();
    await connection.call('joinTeam', { url: database.url(user), password: database.password(user) });
    await connectedToTeam(connection);
    return { machine, connection, user };
  }

  /** Makes it a runner for its folder; resolves to the id of the runner. */
  async addRunner(connection: DaemonConnection, tags: readonly string[], limit = 2): Promise<string> {
    const place = { hostname: hostname(), project_dir: this.bench.cwd, executor_type: 'claude-code' };
    const runner = { ...place, tags: [...tags], limit };
    return (await connection.call('addRunner', { runner, context: this.startParams([]).context })).runner_id;
  }

  /** Writes the file of an agent. */
  addAgent(name: string, text: string): void {
    const folder = path.join(this.bench.cwd, '.vitrine/agents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `${name}.yaml`), text);
  }

  /** What its store lists, with child sessions. */
  async sessions(): Promise<readonly SessionSummary[]> {
    return (await this.rows('sessions', '--all')) as unknown as SessionSummary[];
  }

  /** Resolves when this many runs of a session have ended. */
  waitForEnd(id: string, runs = 1): Promise<SessionSummary> {
    return until(`the end of run ${runs}`, async () =>
      (await this.sessions()).find((row) => row.session_id === id && row.status === 'finished' && row.runs === runs),
    );
  }

  /** Runs a command that has to succeed. */
  async runOk(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.vitrine(...args).ended;
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  /** Rows of `--json`. */
  async rows(...args: string[]): Promise<Record<string, unknown>[]> {
    const printed = await this.runOk(...args, '--json');
    const lines = printed.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Starts the fake agent; resolves to the id of the session. */
  async start(connection: DaemonConnection, steps: readonly Step[]): Promise<string> {
    const { session_id } = await connection.call('start', this.startParams(steps));
    return session_id;
  }

  /** As `start`, up to the end of the run. */
  async runToEnd(connection: DaemonConnection, steps: readonly Step[]): Promise<string> {
    const id = await this.start(connection, steps);
    await this.stateOf(id, ({ live }) => !live);
    return id;
  }

  /** What the team shares with this member, newest first. */
  shared(): Promise<readonly SharedSession[]> {
    return withClient(this.database.login(this.user), (client) => listShared(client, 100));
  }

  /** Waits until the team's copy has the end of the session. */
  waitForSharedEnd(id: string): Promise<SharedSession> {
    return until(`session ${id} in the team`, async () => {
      const rows = await this.shared().catch(() => []);
      return rows.find((row) => row.session_id === id && row.summary?.status === 'finished');
    });
  }
}
