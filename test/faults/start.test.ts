import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repository } from '../support/host/install/cache.mjs';
import { skip } from '../support/skip.ts';
import { cacheProblem, commandProblem, startProblem } from '../support/host/install/startProblem.mjs';

const script = path.join(repository, 'test/support/start.ts');

describe('npm start, if it cannot run', function () {
  let folder: string;
  let server: Server | undefined;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'start '));
  });
  afterEach(() => {
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The one line that it says, and its exit code. */
  async function start(args: string[], env: Readonly<Record<string, string>> = {}): Promise<[number | null, string]> {
    const child = spawn(process.execPath, [script, '--server', ...args], { env: { ...process.env, ...env } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return [code, output.trim()];
  }

  it('reports a port in use, and suggests a free one', async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const [code, said] = await start(['--port', String(port)]);
    assert.equal(code, 1);
    const [, taken, free] =
      /^Port (\d+) is already in use\. Try --port (\d+), or leave it out for any free port\.$/.exec(said) ?? [];
    assert.equal(taken, String(port), said);
    assert.notEqual(free, taken);
  });

  for (const port of ['abc', '70000', '-1', '1.5', '']) {
    it(`explains valid ports, for "${port}"`, async () => {
      const [code, said] = await start([`--port=${port}`]);
      assert.equal(code, 1);
      assert.equal(said.includes('\n'), false);
      assert.match(said, /^--port takes a number from 1 to 65535, not ".*"\. Try --port 8123/);
    });
  }

  it('lists the options, for an unknown one', async () => {
    const [code, said] = await start(['--prot', '1']);
    assert.equal(code, 1);
    assert.match(said, /'--prot'.* Options: npm start -- \[--port N\] \[--fresh\] \[--server\]\.$/);
  });

  it('names a read-only cache', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const [code, said] = await start([], { VITRINE_HOST_CACHE: path.join(file, 'cache') });
    const problem = Object.assign(new Error(), { code: 'ENOTDIR' });
    assert.deepEqual([code, said], [1, cacheProblem(path.join(file, 'cache'), problem).message]);
  });

  it('names a cache in which no folders can be created', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux has /proc');
    const [code, said] = await start([], { VITRINE_HOST_CACHE: '/proc/vitrine/cache' });
    assert.deepEqual([code, said.startsWith('Cannot write to the cache folder /proc/vitrine/cache')], [1, true], said);
  });

  it('reports an unreachable registry', async () => {
    const env = { VITRINE_HOST_CACHE: path.join(folder, 'cache'), npm_config_registry: 'http://127.0.0.1:9' };
    const [code, said] = await start([], env);
    assert.equal(code, 1);
    assert.match(
      said.split('\n').at(-1) ?? '',
      /^Cannot reach the npm registry to install code-server@[\d.]+ \(ECONNREFUSED\)\. Check the network/,
    );
  });

  it('reports it in one line if npm prints many', () => {
    const install = ['install', '--no-save', 'code-server@4.139.1'];
    for (const [output, said] of [
      ['npm error code ENOTFOUND\nnpm error network request to …', /^Cannot reach the npm registry .*\(ENOTFOUND\)/],
      ['npm error code SELF_SIGNED_CERT_IN_CHAIN', /^Cannot reach the npm registry .*\(SELF_SIGNED_CERT_IN_CHAIN\)/],
      [
        'npm error code E404\nnpm error 404 Not Found',
        /^The npm registry does not provide code-server@4\.139\.1 \(E404\)/,
      ],
      ['npm error code ENOSPC', /^The disk is full/],
      [
        'npm error code EACCES\nnpm error path /root/.npm',
        /^npm cannot write the files of code-server@4\.139\.1 \(EACCES\)/,
      ],
    ] as const) {
      const message = startProblem(commandProblem('npm', install, 'ended with 1', output));
      assert.match(message, said);
      assert.equal(message.includes('\n'), false);
    }
  });

  it('reports that npm is missing', () => {
    const found = spawnSync(process.execPath, [script, '--server'], {
      encoding: 'utf8',
      env: { PATH: folder, HOME: folder, TMPDIR: folder, VITRINE_HOST_CACHE: path.join(folder, 'cache') },
    });
    assert.equal(found.status, 1);
    assert.equal(found.stderr.trim(), 'The program npm is not on your PATH. Install it, then try again.');
  });
});
