import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { BrowserContext } from 'playwright-core';
import type { ListedRunner } from '../../../src/model/session/runner.ts';
import type { Run } from '../../../src/model/session/session.ts';
import { repository } from '../../support/host/install/cache.mjs';
import type { Server } from '../../support/host/server.ts';
import { writeMachineSettings } from '../../support/host/settings.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { until } from '../../support/until.ts';
import { keepEvidence, newProfile, openWindow, picture, startHost } from '../session.ts';

describe('a window and a terminal as runners of one queue', function () {
  keepEvidence();
  let server: Server;
  let context: BrowserContext;
  let workbench: Workbench;
  const terminals: ChildProcess[] = [];

  before(async () => {
    server = await startHost();
    writeMachineSettings(server.folder.root, { 'vitrine.runner.tags': ['window'] });
    const remote = 'description: Works elsewhere\nexecutor_type: replay\ndemands: { tags: [gpu] }\n';
    writeFileSync(path.join(server.folder.workspace, '.vitrine/agents/remote.yaml'), remote);
    ({ context } = await newProfile());
    workbench = await openWindow(server, context);
    await workbench.openView('Vitrine');
  });
  after(async () => {
    for (const child of terminals) child.kill('SIGKILL');
    await context.close();
  });

  function terminal(...args: string[]) {
    const { root, home, workspace } = server.folder;
    const store = path.join(root, 'user-data/User/globalStorage/vitrine.vitrine');
    const child = spawn(process.execPath, [path.join(repository, 'dist/cli.js'), ...args, '--store', store], {
      cwd: workspace,
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    terminals.push(child);
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]);
    return { child, lines, ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })) };
  }
  const queue = async (): Promise<{ readonly runners: ListedRunner[]; readonly runs: Run[] }> => {
    const { code, stdout, stderr } = await terminal('queue', '--json').ended;
    assert.equal(code, 0, stderr);
    const rows = stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ListedRunner | Run);
    return {
      runners: rows.filter((row): row is ListedRunner => !('run_id' in row)),
      runs: rows.filter((row): row is Run => 'run_id' in row),
    };
  };
  const label = async (title: string): Promise<string> =>
    (await workbench.treeItem(title).first().getAttribute('aria-label')) ?? '';
  /** `speed`: of the recording, which takes some 20 seconds at 1. */
  async function gpu(speed: number): Promise<ReturnType<typeof terminal> & { readonly id: string }> {
    const others = path.join(server.folder.home, 'elsewhere');
    mkdirSync(others, { recursive: true });
    const started = terminal(
      'runner',
      '--executor',
      'replay',
      '--tags',
      'gpu',
      '--cwd',
      others,
      '--speed',
      String(speed),
    );
    const line = await until(
      'the terminal',
      () => started.lines.find((candidate) => candidate.includes('registered')),
      60_000,
    );
    return { ...started, id: /lnch_[0-9a-f]{12}/.exec(line)?.[0] ?? '' };
  }
  async function queueRemote(prompt: string): Promise<void> {
    await workbench.choose('Vitrine: Queue Agent from File…', 'remote');
    await workbench.page.getByText('Prompt for the agent').waitFor();
    await workbench.quickInput().fill(prompt);
    await workbench.quickInput().press('Enter');
    await workbench.notification('“remote” is queued until a runner takes it.').first().waitFor();
  }

  it("registers with the window's agents", async () => {
    const found = await until(
      'the runner',
      async () => {
        const { code, stdout } = await terminal('queue', '--json').ended;
        return code === 0 && stdout.includes('"replay"') ? queue() : undefined;
      },
      60_000,
    );
    const replayRunner = found.runners.find(({ executor_type }) => executor_type === 'replay');
    assert.deepEqual(
      [replayRunner?.project_dir, replayRunner?.status, replayRunner?.tags],
      [server.folder.workspace, 'online', ['window']],
    );
  });

  it('executes what a terminal queues, and shows it', async () => {
    const added = terminal('queue', 'add', '--executor', 'replay', '--demand', 'tag=window', 'Played for a terminal');
    assert.equal((await added.ended).code, 0);
    await workbench.treeItem('Played for a terminal').first().waitFor();
    await until('its run', async () => /, (Running|Finished), /.test(await label('Played for a terminal')));
  });

  it('leaves some runs to a terminal, continues them without it, and reports the end', async () => {
    await queueRemote('Played elsewhere');
    assert.equal((await queue()).runs.at(-1)?.status, 'pending');
    const victim = await gpu(0.05);
    await workbench.treeItem('Played elsewhere').first().waitFor();
    await until('it to run', async () => /, Running, remote,/.test(await label('Played elsewhere')), 60_000);
    assert.equal((await queue()).runs.at(-1)?.runner_id, victim.id);
    await picture(workbench, 'runner-elsewhere');
    victim.child.kill('SIGKILL');
    await victim.ended;
    assert.match(await label('Played elsewhere'), /, Running, remote,/);
    const { stdout } = await terminal('daemon', 'status', '--json').ended;
    const { pid } = JSON.parse(stdout) as { readonly pid: number };
    process.kill(pid, 'SIGKILL');
    await workbench.notification('The queued run of “remote” failed: The Vitrine daemon ended').first().waitFor();
    await until('its end', async () => /, Interrupted, remote,/.test(await label('Played elsewhere')), 60_000);
    await picture(workbench, 'runner-daemon-killed');

    const back = await gpu(1);
    assert.equal(back.id, victim.id);
    await queueRemote('Played once more');
    await until('the second', async () => (await queue()).runs.at(-1)?.runner_id === back.id, 60_000);
    await workbench.treeItem('Played once more').first().waitFor();
  });
});
