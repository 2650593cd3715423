import type { Suite } from 'mocha';
import type { DaemonConnection } from '../../../src/client/connection.ts';
import { skip } from '../skip.ts';
import { TeamDatabase } from './database.ts';
import { TeamMachine } from './machine.ts';
import { noServerReason, removeTeamServer } from './server.ts';

// Root hook: once, after all tests of this process.
after(removeTeamServer);

/** For suites that need the server: skips them where none can run. */
export function useTeamServer(suite: Suite): void {
  // Other suites may need the processor.
  suite.timeout(300_000);
  const reason = noServerReason();
  if (reason === null) return;
  suite.beforeEach(function () {
    skip(this, reason);
  });
}

/** For each test, a team with a member's machine and one of its lead. */
interface TeamOfTwo {
  database: TeamDatabase;
  alice: TeamMachine;
  lead: TeamMachine;
}

/** The fields are set before each test. */
export function useTeamOfTwo(suite: Suite): TeamOfTwo {
  useTeamServer(suite);
  const team = {} as TeamOfTwo;
  suite.beforeEach(async () => {
    team.database = await TeamDatabase.create();
    team.alice = await TeamMachine.join(team.database, await team.database.addMember('alice'));
    team.lead = await TeamMachine.join(team.database, team.database.lead);
  });
  suite.afterEach(async () => {
    await Promise.all([team.alice.close(), team.lead.close()]);
    await team.database.drop();
  });
  return team;
}

/** For each test, a team with the machines of two members, each with a connection to its daemon. */
export interface TeamOfMembers {
  database: TeamDatabase;
  alice: TeamMachine;
  bob: TeamMachine;
  atAlice: DaemonConnection;
  atBob: DaemonConnection;
}

/** Calls `prepare` before each test. */
export function useTeamOfMembers(suite: Suite, prepare: (team: TeamOfMembers) => unknown): void {
  useTeamServer(suite);
  let team: TeamOfMembers;
  suite.beforeEach(async () => {
    const database = await TeamDatabase.create();
    const [a, b] = [await database.addMember('alice'), await database.addMember('bob')];
    const { machine: alice, connection: atAlice } = await TeamMachine.open(database, a);
    const { machine: bob, connection: atBob } = await TeamMachine.open(database, b);
    team = { database, alice, bob, atAlice, atBob };
    await prepare(team);
  });
  suite.afterEach(async () => {
    await Promise.all([team.alice.close(), team.bob.close()]);
    await team.database.drop();
  });
}
