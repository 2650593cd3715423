import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { executorByName, startByBlueprint, trustedBlueprints } from '../../../../src/cli/blueprints/blueprints.ts';
import { UsageError, type CliContext } from '../../../../src/cli/command.ts';
import { EngineFailure } from '../../../../src/engine/failures/failures.ts';
import { until } from '../../../support/until.ts';

const plain = 'description: Plain\nsystem_prompt: Be plain.\n';
const serving = 'description: Serves\nmcp_servers: { tool: { type: stdio, command: ./evil, args: [now] } }\n';

describe('the command line and agent files of a repository', () => {
  let dir: string;
  let cwd: string;
  let said: PassThrough;
  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'vitrine-trust-'));
    cwd = path.join(dir, 'work');
    await write(cwd, 'harmless', plain);
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  async function write(folder: string, name: string, text: string): Promise<void> {
    await mkdir(path.join(folder, '.vitrine/agents'), { recursive: true });
    await writeFile(path.join(folder, `.vitrine/agents/${name}.yaml`), text);
  }

  function context(stdin: Readable = Readable.from([])): CliContext {
    said = new PassThrough();
    const stdout = new PassThrough();
    const onInterrupt = () => () => undefined;
    return { stdin, stdout, stderr: said, cwd, now: Date.now, env: { HOME: dir }, onInterrupt };
  }

  const use = (name: string, trust = false, cliContext = context()) => executorByName(cliContext, name, { cwd, trust });
  const refuses = (pattern: RegExp) => (error: unknown) =>
    UsageError.is(error) && pattern.test(`${error.message} ${error.next}`);
  const started = (name: string) => startByBlueprint(context(), name, { prompt: 'x', cwd, options: {} });

  it('prints the file, and starts a harmless one', async () => {
    await use('harmless');
    assert.match(String(said.read()), /agent "harmless" \(from the folder\): .*work.*harmless\.yaml/);
    assert.equal((await started('harmless')).blueprint?.name, 'harmless');
  });

  it('starts no MCP servers of a repository without trust, and asks again after a change', async () => {
    await write(cwd, 'serves', serving);
    await assert.rejects(use('serves'), refuses(/starts: \.\/evil now.*--trust-blueprint/));
    await assert.rejects(started('serves'), (error) => EngineFailure.is(error));
    const [blueprint] = (await trustedBlueprints(context(), cwd)).filter(({ name }) => name === 'serves');
    assert.equal(blueprint?.agent, null);
    await use('serves', true);
    await use('serves');
    assert.equal((await started('serves')).blueprint?.name, 'serves');
    const saved = path.join(dir, '.vitrine/trusted-agents.json');
    if (process.platform !== 'win32') assert.equal((await stat(saved)).mode & 0o777, 0o600);
    await write(cwd, 'serves', serving.replace('now', 'later'));
    await assert.rejects(use('serves'), refuses(/evil later/));
    await writeFile(saved, 'nonsense');
    await assert.rejects(use('serves'), refuses(/not trusted/));
  });

  it("does not silently prefer a repository's file to the user’s own", async () => {
    await write(dir, 'harmless', 'description: Mine\n');
    await assert.rejects(use('harmless'), refuses(/replaces your own agent/));
    await use('harmless', true);
    assert.equal((await started('harmless')).blueprint?.systemPrompt, 'Be plain.');
    cwd = path.join(dir, 'other');
    await use('harmless');
    assert.match(String(said.read()), /\(your own\)/);
    cwd = dir;
    await use('harmless');
    assert.match(String(said.read()), /\(your own\)/, 'the home folder as the folder');
  });

  it('asks at a terminal', async () => {
    await write(cwd, 'serves', serving);
    for (const [answer, yes] of [
      ['n', false],
      ['', false],
      ['y', true],
    ] as const) {
      const terminal = Object.assign(new PassThrough(), { isTTY: true });
      const asked = use('serves', false, context(terminal));
      const seen: string[] = [];
      said.on('data', (chunk) => seen.push(String(chunk)));
      const settled = asked.then(
        () => true,
        () => false,
      );
      await until('the question', () => seen.join('').includes('Trust the current version'));
      terminal.write(`${answer}\n`);
      assert.equal(await settled, yes, answer);
    }
    assert.match(await readFile(path.join(dir, '.vitrine/trusted-agents.json'), 'utf8'), /serves\.yaml/);
  });
});
