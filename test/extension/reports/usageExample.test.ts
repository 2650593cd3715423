import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import type { NormalizedEntry } from '../../../src/vscode/api/types/transcript.d.ts';
import type { ExecutorClass, VitrineApi } from '../../../src/vscode/api/types/vitrine.d.ts';

/** One agent for the example. `ids`: what `metadata.sessionId` of its entries is. */
export interface UsageExample {
  readonly executor: 'ClaudeCodeExecutor' | 'CodexExecutor' | 'CopilotExecutor' | 'CursorExecutor';
  readonly label: string;
  /** Of `vitrine`, for these runs. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly prompts: readonly [first: string, next: string];
  /** `all`: every entry has one; `null`: not supported. */
  readonly ids: 'all' | 'null';
}

/** For an id that Vitrine chose, in milliseconds. */
const idLimit = 5000;

const { Global } = vscode.ConfigurationTarget;

/** Given by the suite of real agents; else the fake one. */
function examples(extensionPath: string): readonly UsageExample[] {
  const examplesDir = process.env['VITRINE_USAGE_EXAMPLES'];
  if (examplesDir !== undefined) return JSON.parse(examplesDir) as UsageExample[];
  const script = (text: string): string => JSON.stringify([{ init: true }, { say: text }, { result: { text } }]);
  return [
    {
      executor: 'ClaudeCodeExecutor',
      label: 'a fake Claude Code',
      settings: { 'claude.path': path.join(extensionPath, 'test/support/fakeAgent/agent.mjs') },
      prompts: [script('one'), script('two')],
      ids: 'all',
    },
  ];
}

describe('the usage example of the specification', function () {
  const extension = vscode.extensions.getExtension<VitrineApi>('vitrine.vitrine');
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('vitrine');

  for (const { executor: name, label, settings: wanted, prompts, ids } of examples(extension?.extensionPath ?? '')) {
    it(`works with ${label}`, async function () {
      const api = await extension?.activate();
      assert.ok(api);
      for (const [key, value] of Object.entries(wanted)) await settings().update(key, value, Global);
      try {
        const known = await example(api, api.executors[name], prompts, ids);
        if (known === null) return;
        if (this.test !== undefined) this.test.title += `, id after ${known} ms`;
      } finally {
        for (const key of Object.keys(wanted)) await settings().update(key, undefined, Global);
      }
    });
  }
});

/**
 * As in the specification, with the resume once the first run has ended. Returns the milliseconds from the start to the
 * first entry with the agent's id; `null` if it has none.
 */
async function example(
  api: VitrineApi,
  Executor: ExecutorClass,
  [task, nextTask]: UsageExample['prompts'],
  ids: UsageExample['ids'],
): Promise<number | null> {
  const workDir = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const executor = new Executor({});
  const spawned = await executor.executeTask(task);
  const began = performance.now();

  const outputStream = api.createOutputChunks(spawned.process);
  const entries: NormalizedEntry[] = [];
  let sessionId: string | undefined;
  let known: number | null = null;
  for await (const entry of executor.normalizeOutput(outputStream, workDir)) {
    entries.push(entry);
    if (entry.metadata?.sessionId) {
      sessionId ??= entry.metadata.sessionId;
      known ??= Math.round(performance.now() - began);
    }
  }
  const first = await spawned.process.done;
  assert.equal(first.success, true, first.error);
  assert.ok(entries.some(({ type }) => type.kind === 'assistant_message'));

  if (ids === 'null') {
    assert.ok(entries.every(({ metadata }) => metadata?.sessionId === null));
    return null;
  }
  assert.ok(sessionId);
  // An id that Vitrine chose is there before the program has printed anything.
  if (spawned.sessionId !== null) {
    assert.deepEqual([entries[0]?.index, entries[0]?.metadata], [0, { sessionId: spawned.sessionId, model: null }]);
    assert.ok(known !== null && known < idLimit, `${known} ms`);
  }
  // A program that chooses the id itself can print a note before it tells it.
  const from = entries.findIndex(({ metadata }) => metadata?.sessionId === sessionId);
  const before = entries.slice(0, from).filter(({ type }) => type.kind !== 'system_message');
  const without = entries.slice(from).filter(({ metadata }) => metadata?.sessionId !== sessionId);
  assert.deepEqual([...before, ...without], []);
  const resumed = await executor.resumeTask(nextTask, sessionId);
  const again: NormalizedEntry[] = [];
  for await (const entry of executor.normalizeOutput(api.createOutputChunks(resumed.process), workDir))
    again.push(entry);
  const second = await resumed.process.done;
  assert.equal(second.success, true, second.error);
  assert.equal(resumed.session, spawned.session);
  assert.ok(again.every(({ metadata }) => typeof metadata?.sessionId === 'string'));
  return known;
}
