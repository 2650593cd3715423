import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acpHttp } from '../../../../src/agents/acp-http/adapter.ts';
import { EventStream } from '../../../../src/agents/acp-http/eventStream.ts';
import { AcpHttpClient } from '../../../../src/engine/acpHttp/client.ts';
import { AcpHttpFailure, type AcpHttpFailureCode } from '../../../../src/engine/acpHttp/failures.ts';
import { LineSplitter } from '../../../../src/engine/output/lineSplitter.ts';
import { startAcpServer, type AcpServer } from '../../../support/acpServer/server.ts';
import { readBy, type Read } from '../../../support/captures/agentCaptures.ts';

/** The data of all events of a stream. */
async function all(
  stream: Promise<AsyncIterable<Uint8Array>>,
  onLine: (line: string) => unknown = () => undefined,
): Promise<string[]> {
  const got: string[] = [];
  const events = new EventStream();
  const lines = new LineSplitter();
  for await (const bytes of await stream) {
    for (const line of lines.push(bytes)) {
      assert.ok('text' in line);
      for (const event of events.push(line.text)) {
        assert.ok('text' in event);
        got.push(event.text);
        await onLine(event.text);
      }
    }
  }
  return got;
}

function read(lines: readonly string[]): Read {
  return readBy(
    acpHttp,
    lines.map((text) => ({ stream: 'stdout', text })),
  );
}

const typesOf = (lines: readonly string[]): unknown[] =>
  lines.map((line) => (JSON.parse(line) as { type: unknown }).type);

function fails(code: AcpHttpFailureCode): (error: unknown) => boolean {
  return (error) => {
    assert.ok(AcpHttpFailure.is(error), String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message !== '' && error.detail !== '');
    return true;
  };
}

/** Any server, for what ours does not do. */
async function withServer(
  listener: RequestListener,
  use: (client: AcpHttpClient) => Promise<void>,
  timeoutMs = 30_000,
): Promise<void> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    await use(new AcpHttpClient({ baseUrl: `http://127.0.0.1:${port}/`, timeoutMs }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('client of the Agent Communication Protocol', () => {
  let server: AcpServer;
  let client: AcpHttpClient;

  before(async () => {
    server = await startAcpServer({ token: 'secret' });
    client = new AcpHttpClient({ baseUrl: `${server.url}/`, headers: { authorization: 'Bearer secret' } });
  });
  after(async () => {
    await server.stop();
  });

  it('pings, and lists the agents', async () => {
    await client.ping();
    const agents = await client.agents();
    assert.ok(agents.some(({ name, description }) => name === 'ping' && description !== ''));
    assert.equal(agents.length, new Set(agents.map(({ name }) => name)).size);
  });

  it('runs an agent and streams its events', async () => {
    const lines = await all(client.run({ agent: 'ping', prompt: 'Hello' }));
    assert.deepEqual(typesOf(lines), [
      'run.created',
      'run.in-progress',
      'message.created',
      'message.part',
      'message.completed',
      'run.completed',
    ]);
    const { facts } = read(lines);
    assert.equal(facts.answer, 'pong: Hello');
    assert.equal(facts.reports[0]?.isError, false);
  });

  it('resumes a session of the server', async () => {
    const first = read(await all(client.run({ agent: 'memory', prompt: 'One' })));
    const [sessionId] = first.facts.sessionIds;
    assert.ok(sessionId !== undefined);
    const second = read(await all(client.run({ agent: 'memory', prompt: 'Two', sessionId })));
    assert.deepEqual(second.facts.sessionIds, [sessionId]);
    assert.equal(second.facts.answer, 'You asked me 1 times before.');
  });

  it('answers an awaiting agent', async () => {
    const asked = await all(client.run({ agent: 'asker', prompt: 'Weather?' }));
    assert.equal(typesOf(asked).at(-1), 'run.awaiting');
    const { runId } = read(asked).entries[0]?.metadata as { runId: string };
    const answered = await all(client.resume(runId, 'Lisbon'));
    const { entries, facts, open } = read([...asked, ...answered]);
    assert.deepEqual(open, []);
    assert.equal(facts.answer, 'Before I start.\n\nThe weather in Lisbon is fine.');
    assert.ok(entries.some(({ content }) => content.endsWith('Which city?')));
    await assert.rejects(all(client.resume(runId, 'again')), fails('unauthorized'));
  });

  it('cancels a run, whose stream reports it', async () => {
    const lines = await all(client.run({ agent: 'slow', prompt: 'Go' }), (line) => {
      const event = JSON.parse(line) as { type: string };
      const [scripted] = [...server.runs.values()].slice(-1);
      return event.type === 'message.part' ? client.cancel(scripted?.run.run_id ?? '') : undefined;
    });
    assert.equal(typesOf(lines).at(-1), 'run.cancelled');
    assert.equal(read(lines).facts.reports[0]?.terminalReason, 'aborted');
  });

  it('fetches missed events after a lost connection', async () => {
    const lines: string[] = [];
    const run = all(client.run({ agent: 'dropping', prompt: 'Go' }), (line) => lines.push(line));
    await assert.rejects(run);
    assert.equal(typesOf(lines).at(-1), 'message.part');
    const [scripted] = [...server.runs.values()].slice(-1);
    const again = await client.events(scripted?.run.run_id ?? '');
    assert.deepEqual(again.slice(0, lines.length), lines);
  });

  it('keeps lines that are not events, and continues', async () => {
    const lines = await all(client.run({ agent: 'garbling', prompt: 'Go' }));
    const { facts, entries } = read(lines);
    assert.equal(facts.answer, 'One two');
    assert.deepEqual(facts.lines, { total: lines.length, unknown: 1, malformed: 4, oversize: 0 });
    const generic = entries.find(({ type }) => type.kind === 'system_message' && type.subtype === 'generic');
    assert.deepEqual(generic?.metadata?.['generic'], { lines: 2 });
  });

  it("fails with the server's error", async () => {
    await assert.rejects(all(client.run({ agent: 'nobody', prompt: 'Hi' })), (error) => {
      assert.ok(AcpHttpFailure.is(error, 'not_found'));
      assert.equal(error.message, 'Agent nobody not found');
      return true;
    });
    const failed = read(await all(client.run({ agent: 'failing', prompt: 'Hi' })));
    assert.equal(failed.facts.reports[0]?.errors[0], 'The model is not available.');
    assert.equal(failed.facts.answer, 'So far so good');
  });

  it('reveals no headers in failures', async () => {
    const stranger = new AcpHttpClient({ baseUrl: server.url, headers: { authorization: 'Bearer wrong' } });
    await assert.rejects(stranger.agents(), (error) => {
      assert.ok(fails('unauthorized')(error) && AcpHttpFailure.is(error));
      assert.ok(!`${error.message} ${error.detail}`.includes('wrong'));
      return true;
    });
  });

  it("ends with the caller's signal", async () => {
    const control = new AbortController();
    const run = all(client.run({ agent: 'slow', prompt: 'Go' }, control.signal), () => control.abort());
    await assert.rejects(run, (error) => error instanceof Error && error.name === 'AbortError');
    assert.equal([...server.runs.values()].at(-1)?.run.status, 'in-progress');
  });

  it('rejects invalid URLs and unreachable servers', async () => {
    for (const baseUrl of ['', 'localhost:1', 'file:///etc/passwd', 'ftp://x']) {
      assert.throws(() => new AcpHttpClient({ baseUrl }), fails('bad_address'));
    }
    const gone = await startAcpServer();
    await gone.stop();
    const nobody = new AcpHttpClient({ baseUrl: gone.url });
    await assert.rejects(nobody.ping(), fails('unreachable'));
    await assert.rejects(all(nobody.run({ agent: 'ping', prompt: 'Hi' })), fails('unreachable'));
  });

  it('recognizes other kinds of servers', async () => {
    const page: RequestListener = (_, response) => response.setHeader('content-type', 'text/html').end('<html></html>');
    await withServer(page, async (other) => {
      await assert.rejects(other.agents(), fails('not_the_protocol'));
      await assert.rejects(all(other.run({ agent: 'x', prompt: 'Hi' })), fails('not_the_protocol'));
    });
    const others: RequestListener = (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end();
    await withServer(others, async (other) => {
      await assert.rejects(other.agents(), fails('redirected'));
    });
    const broken: RequestListener = (_, response) => response.writeHead(500).end('<h1>Oh</h1>');
    await withServer(broken, async (other) => {
      await assert.rejects(all(other.run({ agent: 'x', prompt: 'Hi' })), fails('refused'));
    });
  });

  it('reveals no secrets of a URL or header', async () => {
    assert.throws(
      () => new AcpHttpClient({ baseUrl: 'http://me:hidden@localhost:1/' }),
      (error) => fails('bad_address')(error) && !String(error).includes('hidden'),
    );
    assert.throws(
      () => new AcpHttpClient({ baseUrl: server.url, headers: { authorization: 'Bearer hid\nden' } }),
      (error) => fails('bad_header')(error) && !String(error).includes('hid'),
    );
    const slow: RequestListener = () => undefined;
    const timesOut = (other: AcpHttpClient) => assert.rejects(other.agents(), fails('timed_out'));
    await withServer(slow, timesOut, 300);
  });
});
