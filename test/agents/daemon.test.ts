import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import * as z from 'zod';
import { normalizedEntrySchema, type NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { requestMetadataSchema, type AgentRequest } from '../../src/model/agent/request.ts';
import { sessionSummarySchema } from '../../src/model/session/summary.ts';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { agentPlace, type AgentPlace, waitForProcessEnd } from '../support/agents/place.ts';
import { repository } from '../support/host/install/cache.mjs';
import { type Scenarios, text, tool } from '../support/models/scripts/scenario.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

const scenarios = (): Scenarios => ({
  make: [{ blocks: [tool('Bash', { command: 'touch made.txt' })] }, { blocks: [text('That was that.')] }],
  sleep: [{ blocks: [tool('Bash', { command: 'touch started.txt && sleep 600', timeout: 600_000 })] }, { hang: true }],
});

describe('the daemon with the real Claude Code', function () {
  let place: AgentPlace;
  const children: ChildProcess[] = [];

  before(async function () {
    const installed = await ensureClaudeCode('2.1.328');
    if ('missing' in installed) skip(this, installed.missing);
    place = await agentPlace(installed.program, { scenarios, configure: () => undefined });
  });
  after(async () => {
    // Undefined where the suite was skipped.
    if ((place as AgentPlace | undefined) === undefined) return;
    for (const child of children) child.kill('SIGKILL');
    await printed('daemon', 'stop', '--now');
    await place.remove();
  });

  function vitrine(...args: string[]): ChildProcess {
    const all = [path.join(repository, 'dist/cli.js'), ...args, '--store', place.store];
    const child = spawn(process.execPath, all, { cwd: place.workspace, env: place.env, stdio: 'pipe' });
    children.push(child);
    return child;
  }

  async function printed(...args: string[]): Promise<string> {
    const child = vitrine(...args);
    return textOf(child.stdout!);
  }

  async function started(prompt: string): Promise<string> {
    const line = await printed('run', '--detach', '--json', '--agent', 'claude-code', prompt);
    return z.object({ session_id: z.string(), run_id: z.string() }).parse(JSON.parse(line)).session_id;
  }

  /** Attaches a terminal; gives what it shows, and the first request that waits. */
  function attached(session: string) {
    const child = vitrine('attach', session, '--json');
    const entries: NormalizedEntry[] = [];
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const request = new Promise<AgentRequest>((resolve) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        const entry = normalizedEntrySchema.parse(JSON.parse(line));
        entries.push(entry);
        const found = requestMetadataSchema.safeParse(entry.metadata);
        if (found.success && found.data.decision === undefined) resolve(found.data.request);
      });
    });
    const send = (message: unknown): void => void child.stdin!.write(`${JSON.stringify(message)}\n`);
    return { child, entries, ended, request, send };
  }

  it('keeps a run whose terminals are killed, and accepts the answer of the next', async () => {
    const session = await started('Make the file. [[make]]');
    const first = attached(session);
    await first.request;
    first.child.kill('SIGKILL');
    await first.ended;

    const second = attached(session);
    const { id } = await second.request;
    assert.equal(existsSync(path.join(place.workspace, 'made.txt')), false, 'nothing runs before it is allowed');
    second.send({ answer: { request: id, decision: 'allow' } });
    assert.equal(await second.ended, 0);
    assert.ok(existsSync(path.join(place.workspace, 'made.txt')));
    assert.ok(second.entries.some(({ content }) => content === 'That was that.'));
    const indexes = [...new Set(second.entries.map(({ index }) => index))].sort((a, b) => a - b);
    assert.deepEqual(indexes, [...indexes.keys()], 'no entry is missing');
    assert.match(await printed('verify', session), /intact/);
  });

  it('that is killed leaves no agent behind, and the next one shows the session as interrupted', async () => {
    const session = await started('Sleep. [[sleep]]');
    const watching = attached(session);
    const { id } = await watching.request;
    watching.send({ answer: { request: id, decision: 'allow' } });
    await until('the command to run', () => existsSync(path.join(place.workspace, 'started.txt')));
    const { pid } = z.object({ pid: z.number() }).parse(JSON.parse(await printed('daemon', 'status', '--json')));
    process.kill(pid, 'SIGKILL');
    assert.equal(await watching.ended, 2);

    const listed = (await printed('sessions', '--json')).trim().split('\n');
    const found = listed.map((line) => sessionSummarySchema.parse(JSON.parse(line)));
    assert.equal(found.find(({ session_id }) => session_id === session)?.outcome, 'interrupted');
    await waitForProcessEnd(place.home);
  });
});
