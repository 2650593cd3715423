import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { normalizedEntrySchema } from '../../src/model/transcript/entry.ts';
import { runResultSchema } from '../../src/model/session/result.ts';
import { sessionSummarySchema } from '../../src/model/session/summary.ts';
import { ensureClaudeCode } from '../support/agents/claudeCode.ts';
import { agentPlace, type AgentPlace, waitForProcessEnd } from '../support/agents/place.ts';
import { stopDaemon } from '../support/daemon/stop.ts';
import { repository } from '../support/host/install/cache.mjs';
import { turnsOf } from '../support/models/conversation.ts';
import { skip } from '../support/skip.ts';
import { until } from '../support/until.ts';

interface CommandResult {
  readonly code: number | null;
  /** Lines of stdout. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

describe('vitrine run with the real Claude Code', function () {
  let place: AgentPlace;

  before(async function () {
    const installed = await ensureClaudeCode('2.1.328');
    if ('missing' in installed) skip(this, installed.missing);
    place = await agentPlace(installed.program);
  });
  // Undefined where the suite was skipped.
  after(async () => {
    const opened = place as AgentPlace | undefined;
    if (opened !== undefined) await stopDaemon(opened.store);
    await opened?.remove();
  });

  const vitrine = (...args: string[]): { child: ChildProcess; ended: Promise<CommandResult> } => {
    const all = [path.join(repository, 'dist/cli.js'), ...args, '--store', place.store];
    const child = spawn(process.execPath, all, {
      cwd: place.workspace,
      env: place.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    const ended = Promise.all([code, text(child.stdout), text(child.stderr)]).then(([code, stdout, stderr]) => ({
      code,
      lines: stdout.trim().split('\n'),
      stderr,
    }));
    return { child, ended };
  };

  const newestSession = async (): Promise<string> => {
    const { lines } = await vitrine('sessions', '--json').ended;
    return sessionSummarySchema.parse(JSON.parse(lines[0]!)).session_id;
  };

  it('prints the transcript as JSON lines, and the result last', async () => {
    const { code, lines, stderr } = await vitrine('run', '--agent', 'claude-code', 'Put matcha on the menu. [[change]]')
      .ended;
    assert.equal(code, 0, stderr);
    const entries = lines.slice(0, -1).map((line) => normalizedEntrySchema.parse(JSON.parse(line)));
    const used = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool.toolName] : []));
    assert.deepEqual([...new Set(used)], ['Read', 'Bash', 'Edit', 'Write']);
    const result = runResultSchema.parse(JSON.parse(lines.at(-1)!));
    assert.equal(result.success, true);
    assert.equal(result.metadata?.costProvenance.provenance, 'reported');
    assert.match(readFileSync(path.join(place.workspace, 'src/menu.js'), 'utf8'), /Matcha/);
  });

  it('resumes a session of the store', async () => {
    const { code, stderr } = await vitrine('run', '--resume', await newestSession(), 'What did I ask for? [[again]]')
      .ended;
    assert.equal(code, 0, stderr);
    const { request } = await place.model.waitFor(({ scenario }) => scenario === 'again');
    assert.match(turnsOf(request).join('\n'), /Put matcha on the menu[^]*Done\.[^]*What did I ask for\?/);
  });

  it('shows the recorded session', async () => {
    const { code, lines } = await vitrine('show', await newestSession()).ended;
    assert.equal(code, 0);
    assert.match(lines.join('\n'), /matcha/);
  });

  it('ends everything that the agent started on Ctrl-C', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux shows the environment of a process');
    const { child, ended } = vitrine('run', '--agent', 'claude-code', 'Sleep. [[sleep]]');
    await until('the command', () => existsSync(path.join(place.workspace, 'started.txt')));
    child.kill('SIGINT');
    assert.equal((await ended).code, 1);
    // The daemon outlives the command, and stops nothing more here.
    await stopDaemon(place.store);
    await waitForProcessEnd(place.home);
  });
});
