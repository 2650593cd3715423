import assert from 'node:assert/strict';
import { acpHttp } from '../../../../src/agents/acp-http/adapter.ts';
import { AcpHttpClient } from '../../../../src/engine/acpHttp/client.ts';
import { startAcpHttpRun, type AcpHttpRunRequest } from '../../../../src/engine/acpHttp/run.ts';
import type { AgentProcess } from '../../../../src/engine/process/agentProcess.ts';
import { RunOutput } from '../../../../src/engine/output/runOutput.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { ExitInfo, RunFacts } from '../../../../src/model/usage/facts.ts';
import { Transcript } from '../../../../src/model/transcript/transcript.ts';
import { startAcpServer, type AcpServer } from '../../../support/acpServer/server.ts';

interface PlayedRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ExitInfo;
  readonly entries: readonly NormalizedEntry[];
  readonly open: readonly number[];
  readonly facts: RunFacts;
}

async function played(process: AgentProcess, onOutput: (stdout: string) => void = () => undefined): Promise<PlayedRun> {
  const said = { stdout: '', stderr: '' };
  const output = new RunOutput(acpHttp.createNormalizer({ workDir: '/workspace', firstIndex: 0 }));
  const transcript = new Transcript();
  for await (const { type, data } of process.output) {
    said[type] += data.toString('utf8');
    transcript.apply(output.push(type, data, 0));
    onOutput(said.stdout);
  }
  const exit = await process.exit;
  transcript.apply(output.end(exit, 0));
  return { ...said, exit, entries: transcript.settledEntries(), open: transcript.open(), facts: output.facts() };
}

const answers = ({ entries }: PlayedRun): string[] =>
  entries.filter(({ type }) => type.kind === 'assistant_message').map(({ content }) => content);

describe('a run of an agent on a server', () => {
  let server: AcpServer;
  before(async () => {
    server = await startAcpServer();
  });
  after(() => server.stop());

  const start = (agent: string, change: Partial<AcpHttpRunRequest> = {}): Promise<AgentProcess> =>
    startAcpHttpRun({
      client: new AcpHttpClient({ baseUrl: server.url }),
      agent,
      prompt: 'Go',
      clock: () => 0,
      graceMs: 60_000,
      canAskUser: true,
      pollIntervalsMs: [0, 1, 1],
      ...change,
    });

  it("prints the server's events, byte by byte", async () => {
    const run = await played(await start('garbling'));
    for (const raw of ['data: not json\n\n', 'nonsense: x\n\n: a comment\n\nretry: soon\n\n', '"lines":2}}\r\n\r\n']) {
      assert.ok(run.stdout.includes(raw), raw);
    }
    assert.deepEqual(run.exit, { code: 0, signal: null });
    assert.equal(run.stderr, '');
    assert.deepEqual(answers(run), ['One two']);
    assert.deepEqual([run.facts.lines.unknown, run.facts.lines.malformed], [1, 4]);
    assert.equal(run.facts.lines.total, run.stdout.split(/\r?\n/).filter((line) => line !== '').length);
  });

  it('continues with an answer, and ends the run without one', async () => {
    const process = await start('asker');
    let asked = false;
    const run = await played(process, (stdout) => {
      if (asked || !stdout.includes('run.awaiting')) return;
      asked = true;
      process.input?.write(JSON.stringify('Lisbon\nor Porto'));
    });
    assert.deepEqual(answers(run), ['Before I start.', 'The weather in Lisbon\nor Porto is fine.']);
    assert.equal(run.facts.reports[0]?.isError, false);

    const unanswered = await start('asker');
    unanswered.input?.write('null');
    for (const alone of [await played(unanswered), await played(await start('asker', { canAskUser: false }))]) {
      assert.equal(alone.facts.reports[0]?.terminalReason, 'aborted');
      assert.deepEqual(answers(alone), ['Before I start.']);
      assert.equal([...server.runs.values()].at(-1)?.run.status, 'cancelled');
    }
  });

  it('is stopped by the server, or without it', async () => {
    for (const agent of ['slow', 'asker']) {
      const process = await start(agent);
      let stopped: Promise<unknown> | undefined;
      const run = await played(process, (stdout) => {
        if (/Working|run.awaiting/.test(stdout)) stopped ??= process.stop();
      });
      await stopped;
      assert.equal([...server.runs.values()].at(-1)?.run.status, 'cancelled', agent);
      assert.equal(run.facts.reports[0]?.terminalReason, 'aborted');
    }
    const process = await start('slow', { client: new AcpHttpClient({ baseUrl: server.url, fetch: deafToCancel }) });
    let stopped: Promise<unknown> | undefined;
    const run = await played(process, (stdout) => {
      if (stdout.includes('Working')) stopped ??= process.stop([]);
    });
    await stopped;
    assert.deepEqual(run.exit, { code: null, signal: 'SIGTERM' });
    assert.equal(run.entries.at(-1)?.content, 'The run was stopped (SIGTERM).');
  });

  it('fetches missed events after a lost connection', async () => {
    const cut = await startAcpServer({
      scenarios: {
        cut: {
          description: 'Loses the connection within an event, and goes on',
          steps: [
            { part: { content_type: 'text/plain', content: 'Half of ' } },
            { raw: 'data: {"type":"message.part","pa' },
            { lose: true },
            { part: { content_type: 'text/plain', content: 'the answer' } },
          ],
        },
      },
    });
    try {
      const run = await played(await start('cut', { client: new AcpHttpClient({ baseUrl: cut.url }) }));
      assert.deepEqual(answers(run), ['Half of the answer']);
      assert.equal(run.facts.lines.malformed, 1, 'the event that was cut');
      assert.equal(run.facts.reports[0]?.isError, false);
      assert.deepEqual(run.exit, { code: 0, signal: null });
    } finally {
      await cut.stop();
    }
  });

  it('retries while the server is unreachable or not ready', async () => {
    const cut = await startAcpServer({
      scenarios: {
        cut: {
          description: 'Loses the connection, and goes on',
          steps: [
            { part: { content_type: 'text/plain', content: 'Half of ' } },
            { lose: true },
            { part: { content_type: 'text/plain', content: 'the answer' } },
          ],
        },
      },
    });
    let asked = 0;
    const unreliable: typeof fetch = (input, init) => {
      const isLook = init?.method !== 'POST' && /\/events$/.test(input instanceof Request ? input.url : String(input));
      if (isLook) asked += 1;
      if (isLook && asked < 3) return Promise.reject(new TypeError('fetch failed'));
      if (isLook && asked === 3) return Promise.resolve(new Response('starting', { status: 503 }));
      return fetch(input, init);
    };
    try {
      const client = new AcpHttpClient({ baseUrl: cut.url, fetch: unreliable });
      const run = await played(await start('cut', { client, pollIntervalsMs: [0, 1, 1, 1, 100, 1000] }));
      assert.deepEqual(answers(run), ['Half of the answer']);
      assert.deepEqual(run.exit, { code: 0, signal: null });
      assert.ok(asked > 3);
    } finally {
      await cut.stop();
    }
  });

  it('reports if the end of the run is unknown', async () => {
    const run = await played(await start('dropping'));
    assert.deepEqual(run.exit, { code: 1, signal: null });
    assert.match(
      run.stderr,
      /connection to the agent server was lost[^]*Run [\w-]+ may still be running on the server/,
    );
    const error = run.entries.at(-1);
    assert.equal(error?.type.kind, 'error');
    assert.match(error.content, /connection to the agent server was lost/);
    assert.deepEqual(answers(run), ['Half of ']);
    assert.deepEqual(run.open, []);
  });
});

/** A server that does not hear that it is to end a run. */
const deafToCancel: typeof fetch = (input, init) =>
  typeof input === 'string' && input.endsWith('/cancel') ? new Promise(() => undefined) : fetch(input, init);
