import assert from 'node:assert/strict';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { codex } from '../../../../src/agents/codex/adapter.ts';
import { copilot } from '../../../../src/agents/copilot/adapter.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { ToolAction } from '../../../../src/model/transcript/tool.ts';
import { Transcript } from '../../../../src/model/transcript/transcript.ts';
import { captureFile, capturesOf, printedOutput, sourcesOf } from '../../../support/stores/homes.ts';

/**
 * Where the two differ by nature: a fork prints its own part only; Codex prints nothing of its subagents, and 0.77 stores calls
 * in the order in which the model asked, before the shell was put around them; of an answer that was cut off nothing is stored.
 */
const different = new Set([
  'claude-code-2.1.330/print-fork',
  'codex-0.169.0/exec-fork',
  'codex-0.169.0/exec-subagent',
  'codex-0.77.0/exec-tools',
  'copilot-1.0.102/killed-while-streaming',
]);

/** Text, calls, results and statuses, without what tells one run from another. */
function reported(entries: readonly NormalizedEntry[]): unknown[] {
  return entries.flatMap(({ type, content }): unknown[] => {
    if (type.kind === 'assistant_message' || type.kind === 'thinking') return [[type.kind, content]];
    if (type.kind === 'error') return [[type.kind, type.error.message]];
    if (type.kind !== 'tool_use') return [];
    const { toolName, status, action, result, parentCallId } = type.tool;
    // Of a call that was never answered, the store has what the next process wrote about it.
    const answer = status === 'cancelled' ? null : [result?.text ?? null, result?.isError ?? null];
    return [[toolName, status, done(action), answer, parentCallId !== undefined]];
  });
}

/** The store has the lines that were changed, which are not printed, and no streams of a command, which are. */
function done(action: ToolAction): unknown {
  if (action.kind === 'file_edit') return action.changes.map(({ path, kind }) => ({ path, kind }));
  return action.kind === 'command_run' ? { ...action, stdout: null, stderr: null } : action;
}

function printed(name: string): readonly NormalizedEntry[] {
  const adapter = [claudeCode, codex, copilot].find(({ type }) => name.startsWith(type));
  assert(adapter !== undefined);
  return printedOutput(name).flatMap((output) => {
    const normalizer = adapter.createNormalizer({ workDir: '', firstIndex: 0 });
    const transcript = new Transcript();
    for (const text of output.split('\n')) transcript.apply(normalizer.push({ stream: 'stdout', text }, 0));
    transcript.apply(normalizer.end({ code: null, signal: null }, 0));
    return transcript.settledEntries();
  });
}

describe('a session read from its store and from what it printed', () => {
  for (const name of ['claude-code', 'codex', 'copilot'].flatMap(capturesOf)) {
    if (printedOutput(name).length === 0 || different.has(name)) continue;
    it(`says the same of ${name}`, async () => {
      const sources = sourcesOf(captureFile(name, 'home'));
      const [session] = await sources.list(await loadPrices());
      const shown = await sources.read(session!.session_id);
      assert.deepEqual(reported(shown!.entries), reported(printed(name)));
    });
  }

  it('keeps the time, the folder, the branch and the decision about a call', async () => {
    const sources = sourcesOf(captureFile('claude-code-2.1.330/tty-permission', 'home'));
    const [session] = await sources.list(await loadPrices());
    const { entries } = (await sources.read(session!.session_id))!;
    const call = entries.find(({ type }) => type.kind === 'tool_use');
    assert.equal(call?.metadata?.['gitBranch'], 'main');
    assert.equal(call.metadata['cwd'], '/home/dev/project');
    assert.deepEqual(call.metadata['permission'], {
      decision: 'accept',
      source: 'user_temporary',
      grantScope: 'once',
      reasonCode: 'subcommandResults',
    });
    assert.match(call.timestamp, /^2026-11-23T22:38:/);
    const prompts = entries.filter(({ type, origin }) => type.kind === 'user_message' && origin === 'human');
    assert.equal(prompts.length, 2);
  });

  it('shows what a subagent did under the call that started it', async () => {
    for (const name of ['claude-code-2.1.330/print-subagent', 'codex-0.169.0/exec-subagent']) {
      const sources = sourcesOf(captureFile(name, 'home'));
      const [session] = await sources.list(await loadPrices());
      const { entries } = (await sources.read(session!.session_id))!;
      const calls = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
      const [starter] = calls;
      const own = entries.filter(({ metadata }) => metadata?.parentCallId === starter?.callId);
      assert.ok(own.some(({ type }) => type.kind === 'tool_use'));
      assert.ok(own.some(({ origin }) => origin === 'subagent'));
    }
  });

  it('leaves out what the program asks on its own to warm up', async () => {
    const sources = sourcesOf(captureFile('claude-code-2.0.77/print-tools-resume', 'home'));
    const [session] = await sources.list(await loadPrices());
    const { entries } = (await sources.read(session!.session_id))!;
    assert.ok(entries.every(({ content }) => !content.includes('Warmup')));
  });
});
