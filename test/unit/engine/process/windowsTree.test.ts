import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stopProcessTree } from '../../../../src/engine/process/stopProcessTree.ts';
import { skip } from '../../../support/skip.ts';

describe('stopping an agent on Windows when the programs that list and end processes are blocked', () => {
  const former = process.env['SystemRoot'];

  before(function () {
    if (process.platform !== 'win32') skip(this, 'other systems need no program for it');
    process.env['SystemRoot'] = 'C:\\nowhere';
  });
  after(() => {
    if (former !== undefined) process.env['SystemRoot'] = former;
  });

  it('ends the agent', async () => {
    const agent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], {
      stdio: 'ignore',
      env: { ...process.env, ...(former === undefined ? {} : { SystemRoot: former }) },
    });
    const ended = once(agent, 'exit');
    const root = { pid: agent.pid ?? 0, startTime: null };
    await stopProcessTree({ root, marker: 'VITRINE_MARK=none', hasExited: () => agent.exitCode !== null }, []);
    await ended;
  });
});
