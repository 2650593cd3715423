import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { EngineSettings, SessionHandle } from '../../../../src/engine/api.ts';
import type { OtlpSettings } from '../../../../src/engine/telemetry/otlpSettings.ts';
import { tracesUrl } from '../../../../src/engine/telemetry/spanReports.ts';
import { Bench, fakeAgent, waitForResult, type Step } from '../../../support/fakeAgent/engine.ts';
import { assertOtlp } from '../../../support/sessions/otlp.ts';
import { aSecret } from '../../../support/hostile/secrets.ts';
import { until } from '../../../support/until.ts';

interface PostedRequest {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: string;
}

describe('runs exported to a collector', () => {
  const posted: PostedRequest[] = [];
  let server: Server;
  let base = '';
  let status = 200;
  let bench: Bench;
  let otlp: OtlpSettings | undefined;

  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const key = request.headers['x-key'];
        posted.push({ path: request.url ?? '', key: String(key), body: Buffer.concat(chunks).toString() });
        if (status === 302) response.setHeader('location', '/elsewhere');
        response.writeHead(status).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    base = `http://127.0.0.1:${address.port}`;
  });
  after(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    posted.length = 0;
    status = 200;
    otlp = { endpoint: base };
    bench = new Bench();
  });
  afterEach(() => bench.close());

  const settings = (): EngineSettings => ({
    agents: { 'claude-code': { program: fakeAgent } },
    unreportedChanges: false,
    ...(otlp !== undefined && { otlp }),
  });
  const says = (text: string): Step[] => [{ init: true }, { say: text }, { result: { usd: 0.25, text } }];

  /** A run, and what was told of it but its result. */
  async function ran(steps: readonly Step[]): Promise<{ handle: SessionHandle; warnings: string[] }> {
    const engine = await bench.engine({ settings, version: '1.2.3' });
    const handle = await engine.start(bench.request(steps));
    const reported: string[] = [];
    handle.onNotice(({ failure }) => reported.push(failure.code));
    assert.equal((await waitForResult(handle)).success, true);
    return { handle, warnings: reported };
  }

  it('are sent when they have ended, without content', async () => {
    otlp = { endpoint: `${base}/otel/`, headers: { 'x-key': 'k1' } };
    await ran(says('a quiet word'));
    await until('a request', () => posted.length === 1);
    const [request] = posted;
    assert.deepEqual([request?.path, request?.key], ['/otel/v1/traces', 'k1']);
    assertOtlp(JSON.parse(request?.body ?? ''));
    assert.match(request?.body ?? '', /"name":"invoke_agent Claude Code"/);
    assert.match(request?.body ?? '', /"vitrine.cost.usd","value":\{"doubleValue":0.25\}/);
    assert.ok(!request?.body.includes('a quiet word'));
  });

  it("report a failure without the agent's words", async () => {
    const engine = await bench.engine({ settings });
    const steps = [
      { init: true },
      { result: { subtype: 'error_during_execution', isError: true, errors: ['a loud word'] } },
    ];
    const handle = await engine.start(bench.request(steps));
    const result = await waitForResult(handle);
    assert.equal(result.success, false);
    await until('a request', () => posted.length === 1);
    assert.match(posted[0]?.body ?? '', /"status":\{"code":2\}/);
    assert.ok(!posted[0]?.body.includes(result.error ?? '?'), posted[0]?.body);
  });

  it('include content if enabled, with secrets masked', async () => {
    otlp = { endpoint: base, content: true };
    const secret = aSecret('github', 1);
    const { handle } = await ran(says(`the key is ${secret}`));
    await until('a request', () => posted.length === 1);
    assert.match(posted[0]?.body ?? '', /the key is/);
    assert.ok(!posted[0]?.body.includes(secret));
    const next = await (
      await bench.engine({ settings })
    ).resume(handle.summary().session_id, {
      prompt: JSON.stringify(says('and now the second')),
    });
    await waitForResult(next);
    await until('a request', () => posted.length === 2);
    assert.match(posted[1]?.body ?? '', /and now the second/);
    assert.ok(!posted[1]?.body.includes('the key is'), 'each run once');
  });

  it("are parents of the agent's own spans, sent or not", async () => {
    otlp = undefined;
    const { handle } = await ran([{ init: true }, { printNames: true }, { result: { text: 'done' } }]);
    const entries = await handle.read(0, handle.entryCount());
    const names = entries.find(({ metadata }) => metadata?.raw?.includes('"names"') === true)?.metadata?.raw ?? '';
    assert.match(names, /"OTEL_RESOURCE_ATTRIBUTES".*"TRACEPARENT"/);
  });

  it('are not sent without a collector', async () => {
    otlp = undefined;
    const { warnings: reported } = await ran(says('nothing to see'));
    assert.deepEqual([posted, reported], [[], []]);
  });

  for (const [how, code] of [
    ['refuses them', 503],
    ['sends them elsewhere', 302],
  ] as const) {
    it(`are not affected if the collector ${how}; that is reported once`, async () => {
      status = code;
      const engine = await bench.engine({ settings });
      const reported: string[] = [];
      const run = async (text: string): Promise<void> => {
        const handle = await engine.start(bench.request(says(text)));
        handle.onNotice(({ failure }) => reported.push(`${failure.code} ${failure.message}`));
        assert.equal((await waitForResult(handle)).success, true);
      };
      const sent = (count: number): Promise<unknown> => until('a request', () => posted.length === count);
      await run('first');
      await sent(1);
      await until('the failure', () => reported.length === 1);
      assert.deepEqual(reported, [`spans_not_sent Could not report this run to ${base}.`]);
      await run('second');
      await sent(2);
      status = 200;
      await run('third');
      await sent(3);
      status = code;
      await run('fourth');
      await sent(4);
      await until('the failure', () => reported.length === 2);
      assert.ok(posted.every(({ path }) => path === '/v1/traces'));
    });
  }

  it('are not affected if nothing listens', async () => {
    otlp = { endpoint: 'http://127.0.0.1:9' };
    const { warnings: reported } = await ran(says('first'));
    await until('the failure', () => reported.length === 1);
    assert.deepEqual(reported, ['spans_not_sent']);
  });

  it('are sent only to the base URL or the traces URL', () => {
    const url = (text: string): string => tracesUrl(text).href;
    assert.equal(url('http://localhost:4318'), 'http://localhost:4318/v1/traces');
    assert.equal(url('https://otel.example/a/v1/traces'), 'https://otel.example/a/v1/traces');
    assert.throws(() => url('file:///etc/passwd'));
    assert.throws(() => url('localhost'));
  });
});
