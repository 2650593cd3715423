import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import * as z from 'zod';
import { requestMetadataSchema } from '../../src/model/agent/request.ts';
import { sessionSummarySchema } from '../../src/model/session/summary.ts';
import { normalizedEntrySchema, type NormalizedEntry } from '../../src/model/transcript/entry.ts';
import {
  type AskingAgent,
  askingClaude,
  askingCodex,
  askingCopilot,
  askingScript,
  lastSentence,
  runSeconds,
} from '../support/agents/asking/asking.ts';
import { copiesIn, copyingProgram } from '../support/agents/asking/copyingProgram.ts';
import { agentPlace, type AgentPlace, waitForProcessEnd } from '../support/agents/place.ts';
import { repository } from '../support/host/install/cache.mjs';
import { skip } from '../support/skip.ts';

/** What was said, done, asked and decided; other system messages have ids and times, which differ from run to run. */
function courseOf(entries: readonly NormalizedEntry[]): readonly unknown[] {
  return entries.flatMap(({ type, content }): unknown[] => {
    if (type.kind === 'system_message' && type.subtype !== 'request') return [];
    if (type.kind !== 'tool_use') return [[type.kind, content]];
    const { toolName, status, action } = type.tool;
    return [[type.kind, toolName, status, action]];
  });
}

for (const agent of [askingClaude, askingCodex, askingCopilot]) {
  describe(`a run of ${agent.label} whose terminal is killed`, function () {
    let place: AgentPlace;
    let program: string;
    const children: ChildProcess[] = [];
    const printed = () => path.join(path.dirname(place.home), 'printed');
    const createdFile = () => path.join(place.workspace, 'made.txt');

    before(async function () {
      const installed = await agent.install();
      if ('missing' in installed) skip(this, installed.missing);
      place = await newPlace(agent, installed.program);
      program = copyingProgram(installed.program, printed());
    });
    after(async () => {
      // Undefined where the suite was skipped.
      if ((place as AgentPlace | undefined) === undefined) return;
      for (const child of children) child.kill('SIGKILL');
      await output('daemon', 'stop', '--now');
      await waitForProcessEnd(place.home);
      await place.remove();
    });

    function vitrine(...args: readonly string[]): ChildProcess {
      const end = args.indexOf('--');
      const at = end === -1 ? args.length : end;
      const all = [...args.slice(0, at), '--store', place.store, ...args.slice(at)];
      const child = spawn(process.execPath, [path.join(repository, 'dist/cli.js'), ...all], {
        cwd: place.workspace,
        env: place.env,
        stdio: 'pipe',
      });
      children.push(child);
      return child;
    }

    async function output(...args: readonly string[]): Promise<string> {
      const child = vitrine(...args);
      const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [code, stdout, stderr] = await Promise.all([exit, textOf(child.stdout!), textOf(child.stderr!)]);
      assert.equal(code, 0, stderr);
      return stdout;
    }

    async function start(): Promise<string> {
      const [before, after] = agent.runOptions(program);
      const line = await output('run', '--detach', '--json', ...before, 'Make the file. [[make]]', ...after);
      return z.object({ session_id: z.string() }).parse(JSON.parse(line)).session_id;
    }

    /** A terminal that follows the session, and the first request that it sees. */
    function attach(session: string) {
      const child = vitrine('attach', session, '--json');
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const request = new Promise<string>((resolve) => {
        createInterface({ input: child.stdout! }).on('line', (line) => {
          const { data } = requestMetadataSchema.safeParse(normalizedEntrySchema.parse(JSON.parse(line)).metadata);
          if (data !== undefined && data.decision === undefined) resolve(data.request.id);
        });
      });
      const allow = (id: string): void =>
        void child.stdin!.write(`${JSON.stringify({ answer: { request: id, decision: 'allow' } })}\n`);
      return { child, ended, request, allow };
    }

    async function outcomeOf(session: string): Promise<string | undefined> {
      const lines = (await output('sessions', '--json')).trimEnd().split('\n');
      const found = lines.map((line) => sessionSummarySchema.parse(JSON.parse(line)));
      return found.find(({ session_id }) => session_id === session)?.outcome;
    }

    async function entriesOf(session: string): Promise<readonly NormalizedEntry[]> {
      const lines = (await output('show', session, '--json')).trimEnd().split('\n');
      return lines.map((line) => normalizedEntrySchema.parse(JSON.parse(line)));
    }

    /** The raw log of its only run. */
    function savedOutput(session: string): Buffer {
      const folder = path.join(place.store, 'sessions', session);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.stdout'),
      );
      assert.equal(files.length, 1, files.join(', '));
      return readFileSync(path.join(folder, files[0]!));
    }

    it('waits for the answer of another terminal, and ends as if nothing had happened', async function () {
      this.timeout(this.timeout() + 10 * runSeconds * 1000);
      const undisturbed = await start();
      const only = attach(undisturbed);
      only.allow(await only.request);
      assert.equal(await only.ended, 0);
      assert.ok(existsSync(createdFile()));
      rmSync(createdFile());

      const session = await start();
      const first = attach(session);
      await first.request;
      first.child.kill('SIGKILL');
      await first.ended;
      const second = attach(session);
      const request = await second.request;
      assert.equal(existsSync(createdFile()), false, 'nothing is made before it is allowed');
      second.allow(request);
      assert.equal(await second.ended, 0);
      assert.ok(existsSync(createdFile()));

      const entries = await entriesOf(session);
      assert.deepEqual(
        entries.map(({ index }) => index),
        entries.map((_, index) => index),
        'no entry is missing',
      );
      assert.ok(entries.some(({ content }) => content.endsWith(lastSentence)));
      assert.deepEqual(courseOf(entries), courseOf(await entriesOf(undisturbed)));
      for (const id of [session, undisturbed]) {
        const saved = savedOutput(id);
        assert.ok(saved.length > 1000);
        assert.ok(
          copiesIn(printed()).some((copy) => copy.equals(saved)),
          'the raw log holds what the program printed, byte for byte',
        );
        assert.match(await output('verify', id), /intact/);
        assert.equal(await outcomeOf(id), 'completed');
      }
    });
  });
}

function newPlace({ variables, serve, configure, makes }: AskingAgent, program: string): Promise<AgentPlace> {
  return agentPlace(program, { variables, serve, configure, scenarios: () => askingScript(makes) });
}
