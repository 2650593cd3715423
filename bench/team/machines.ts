import path from 'node:path';
import { TeamDatabase } from '../../test/support/team/database.ts';
import { TeamMachine, type OpenMachine } from '../../test/support/team/machine.ts';
import { removeTeamServer } from '../../test/support/team/server.ts';
import { until } from '../../test/support/until.ts';
import { Stamps } from '../daemon/stamps.ts';
import { median, percentile, type Row } from '../harness.ts';

const perSecond = 20;
/** Messages before the measured ones, so that the code of all sides is compiled. */
const warmUp = 60;

/** Time from a message of an agent to a client of another machine, with ten daemons of which all others read the session. */
export async function teamMachines(count = 10, messages = 400): Promise<Row> {
  const database = await TeamDatabase.create();
  const machines: OpenMachine[] = [];
  try {
    for (let n = 0; n < count; n += 1)
      machines.push(await TeamMachine.open(database, await database.addMember(`member${n}`)));
    const [writer, ...readers] = machines;
    if (writer === undefined) throw new Error('No machine was opened.');
    await writer.connection.call('shareFolder', { folder: writer.machine.bench.cwd, share: 'records' });
    const go = path.join(writer.machine.bench.dir, 'go');
    const id = await writer.machine.start(writer.connection, [
      ...[{ init: true }, { say: 'begun' }, { until: go }],
      ...[{ stamps: { count: warmUp + messages, perSecond } }, { result: {} }],
    ]);
    const received = await Promise.all(readers.map((reader) => follow(reader, id)));
    await writer.machine.bench.go();
    await until(
      'all messages',
      () => received.every(({ delays }) => delays.length >= warmUp + messages),
      ((warmUp + messages) / perSecond) * 1000 + 120_000,
    );
    const delays = received.flatMap((stamps) => stamps.delays.slice(warmUp));
    return {
      name: `team: entry at another of ${count} machines, p99`,
      value: percentile(delays, 99),
      unit: 'ms',
      goal: 250,
      detail: `${delays.length} arrivals, ${perSecond} messages a second, ${readers.length} readers; median ${median(delays).toFixed(1)} ms`,
    };
  } finally {
    await Promise.all(machines.map(({ machine }) => machine.close()));
    await database.drop();
    await removeTeamServer();
  }
}

async function follow({ machine, connection }: OpenMachine, id: string): Promise<Stamps> {
  const isListed = async () => (await machine.shared()).some((row) => row.session_id === id && row.lines > 0);
  await until('the session', isListed);
  const stamps = new Stamps();
  await connection.follow(id, ({ updates }) => {
    stamps.addUpdates(updates);
    return Promise.resolve();
  });
  return stamps;
}
