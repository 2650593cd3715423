import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { BrowserContext } from 'playwright-core';
import { requestMetadataSchema } from '../../../src/model/agent/request.ts';
import { normalizedEntrySchema } from '../../../src/model/transcript/entry.ts';
import { askingClaude, askingScript, lastSentence, runSeconds } from '../../support/agents/asking/asking.ts';
import { copiesIn } from '../../support/agents/asking/copyingProgram.ts';
import { processesOf } from '../../support/agents/place.ts';
import { extensionHosts } from '../../support/host/extensionHosts.ts';
import { repository } from '../../support/host/install/cache.mjs';
import type { Server } from '../../support/host/server.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { type Scenarios, text, tool } from '../../support/models/scripts/scenario.ts';
import { skip } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { newestStdout, runClaude, startClaudeHost, statusWord } from '../claudeHost.ts';
import { keepEvidence, newProfile, openWindow, useWindow } from '../session.ts';

const { makes: make } = askingClaude;

/** How often a window or terminal of one run is reloaded, closed or killed. */
const interruptions = Number(process.env['VITRINE_RELOADS'] ?? 3);

const scenarios = (): Scenarios => ({
  count: [
    ...Array.from({ length: interruptions }, (_, at) => ({
      blocks: [text(`Next is ${at}.`), tool('Bash', { command: `echo ${at} >> counted.txt`, description: 'Count' })],
      pace: { between: 100 },
    })),
    { blocks: [text('Counted to the end.')] },
  ],
  ...askingScript(make),
  again: [{ blocks: [make] }, { blocks: [text('Made it for the other window.')] }],
});

const copyOutputTo = ({ folder }: Server): string => path.join(folder.root, 'printed');

describe('a run outlives its window', function () {
  keepEvidence();
  const host = useWindow((context) => startClaudeHost(context, { scenarios, asks: true, copyOutputTo }));
  const others: BrowserContext[] = [];
  after(() => Promise.all(others.map((context) => context.close())));

  const createdFile = (): string => path.join(host.server.folder.workspace, 'made.txt');
  const press = (workbench: Workbench, name: string) =>
    workbench.webview().locator('.ask vscode-button:not(.unready)', { hasText: name });
  const decided = (workbench: Workbench, words: string) =>
    workbench.webview().locator('.row[data-kind=request] .rb', { hasText: words });

  it('waits for an answer over a reload, and ends normally', async function () {
    this.timeout(this.timeout() + 10 * runSeconds * 1000);
    const { workbench } = host;
    await runClaude(workbench, 'Make the file. [[make]]');
    await press(workbench, 'Allow Once').waitFor();
    await workbench.reload();
    await press(workbench, 'Allow Once').waitFor();
    await statusWord(workbench, 'Needs your approval');
    assert.equal(existsSync(createdFile()), false);
    await press(workbench, 'Allow Once').click();
    await decided(workbench, 'Allowed once by you').waitFor();
    await workbench.webview().getByText(lastSentence).first().waitFor();
    await statusWord(workbench, 'Finished');
    assert.ok(existsSync(createdFile()));
    const stdout = newestStdout(host.server.folder.root);
    const copies = copiesIn(copyOutputTo(host.server));
    const saved = readFileSync(stdout);
    assert.ok(saved.length > 1000);
    assert.ok(
      copies.some((copy) => copy.equals(saved)),
      'the raw log holds what the program printed, byte for byte',
    );
    const record = path.join(path.dirname(path.dirname(stdout)), 'record.jsonl');
    const cli = path.join(repository, 'dist/cli.js');
    const verified = spawnSync(process.execPath, [cli, 'verify', record], {
      env: { PATH: process.env['PATH'], HOME: host.server.folder.home },
      encoding: 'utf8',
    });
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  });

  it('accepts the answer of another window, and shows where it was given', async () => {
    const { workbench } = host;
    rmSync(createdFile(), { force: true });
    await runClaude(workbench, 'Once more. [[again]]');
    await press(workbench, 'Allow Once').waitFor();
    const { context } = await newProfile();
    others.push(context);
    const other = await openWindow(host.server, context);
    await other.openView('Vitrine');
    await other.treeItem('Once more.').first().click();
    await press(other, 'Allow Once').click();
    await decided(other, 'Allowed once by you').waitFor();
    await decided(workbench, 'Allowed in another window').waitFor();
    await workbench.webview().getByText('Made it for the other window.').first().waitFor();
    await statusWord(workbench, 'Finished');
    await statusWord(other, 'Finished');
    assert.ok(existsSync(createdFile()));
  });

  it(`goes on while windows and terminals are reloaded, closed and killed, ${interruptions} times`, async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    this.timeout(300_000 + interruptions * 120_000);
    const { server, context } = host;
    let { workbench } = host;
    const counted = path.join(server.folder.workspace, 'counted.txt');
    const numbers = (): string[] => (existsSync(counted) ? readFileSync(counted, 'utf8').trimEnd().split('\n') : []);
    const allow = () => press(workbench, 'Allow Once').first();
    const showSession = async (): Promise<void> => {
      await workbench.openView('Vitrine');
      await workbench.closeEditors();
      await workbench.treeItem('Count to the end.').first().click();
    };
    const before = newestStdout(server.folder.root);
    await workbench.closeEditors();
    await runClaude(workbench, 'Count to the end. [[count]]');
    await allow().waitFor();
    const stdout = newestStdout(server.folder.root);
    assert.notEqual(stdout, before);
    const session = path.dirname(path.dirname(stdout));
    const vitrine = (...args: string[]) =>
      spawn(
        process.execPath,
        [path.join(repository, 'dist/cli.js'), ...args, '--store', path.resolve(session, '../..')],
        {
          env: { PATH: process.env['PATH'], HOME: server.folder.home },
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );

    const interrupt: Readonly<Record<string, () => Promise<void>>> = {
      reload: () => workbench.reload(),
      close: async () => {
        await workbench.page.close();
        workbench = await openWindow(server, context);
        await showSession();
      },
      'kill the extension hosts': async () => {
        for (const pid of extensionHosts(server.folder.home)) process.kill(pid, 'SIGKILL');
        await workbench.page.reload({ waitUntil: 'domcontentloaded' });
        await workbench.ready();
        await showSession();
      },
      'kill a terminal': async () => {
        const terminal = vitrine('attach', path.basename(session), '--json');
        const ended = once(terminal, 'exit');
        await once(terminal.stdout, 'data');
        terminal.kill('SIGKILL');
        await ended;
      },
    };
    const kinds = Object.keys(interrupt);
    let random = 5;
    const next = (below: number): number => (random = (random * 75 + 74) % 65_537) % below;
    for (let turn = 0; turn < interruptions; turn += 1) {
      const kind = kinds[next(kinds.length)] ?? '';
      const waits = next(2) === 0;
      await allow().waitFor();
      assert.equal(numbers().length, turn);
      // Either while the request waits, or while the agent continues after the answer.
      if (waits) await interrupt[kind]?.();
      await allow().click();
      await until(`number ${turn}`, () => numbers().length > turn);
      if (!waits) await interrupt[kind]?.();
    }
    await workbench.webview().getByText('Counted to the end.').first().waitFor();
    await statusWord(workbench, 'Finished');

    const expected = Array.from({ length: interruptions }, (_, at) => `${at}`);
    assert.deepEqual(numbers(), expected);
    const shown = await textOf(vitrine('show', path.basename(session), '--json').stdout);
    const entries = shown
      .trimEnd()
      .split('\n')
      .map((line) => normalizedEntrySchema.parse(JSON.parse(line)));
    assert.deepEqual(
      entries.map(({ index }) => index),
      entries.map((_, index) => index),
      'no entry is missing',
    );
    const decisions = entries.flatMap(({ metadata }) => {
      const { data } = requestMetadataSchema.safeParse(metadata);
      return data === undefined ? [] : [data.decision?.by];
    });
    assert.deepEqual(
      decisions,
      expected.map(() => 'user'),
      'no request is lost',
    );
    assert.match(await textOf(vitrine('verify', path.basename(session)).stdout), /intact/);
    const saved = readFileSync(stdout);
    assert.ok(copiesIn(copyOutputTo(server)).some((copy) => copy.equals(saved)));
    await until('the end of the agent', () => !processesOf(server.folder.home).some((line) => /\bclaude\b/.test(line)));
  });
});
