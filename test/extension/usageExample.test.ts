import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ExecutorClass, NormalizedEntry, VitrineApi } from '../../src/vscode/api/vitrine.d.ts';

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

const { Global } = vscode.ConfigurationTarget;

/** Given by the suite of real agents; else the fake one. */
function examples(extensionPath: string): readonly UsageExample[] {
  const given = process.env['VITRINE_USAGE_EXAMPLES'];
  if (given !== undefined) return JSON.parse(given) as UsageExample[];
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
    it(`works with ${label}`, async () => {
      const api = await extension?.activate();
      assert.ok(api);
      for (const [key, value] of Object.entries(wanted)) await settings().update(key, value, Global);
      try {
        await example(api, api.executors[name], prompts, ids);
      } finally {
        for (const key of Object.keys(wanted)) await settings().update(key, undefined, Global);
      }
    });
  }
});

/** As in the specification, with the resume once the first run has ended. */
async function example(
  api: VitrineApi,
  Executor: ExecutorClass,
  [task, nextTask]: UsageExample['prompts'],
  ids: UsageExample['ids'],
): Promise<void> {
  const workDir = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const executor = new Executor({});
  const spawned = await executor.executeTask(task);

  const outputStream = api.createOutputChunks(spawned.process);
  const entries: NormalizedEntry[] = [];
  let sessionId: string | undefined;
  for await (const entry of executor.normalizeOutput(outputStream, workDir)) {
    entries.push(entry);
    if (entry.metadata?.sessionId) sessionId ??= entry.metadata.sessionId;
  }
  const first = await spawned.process.done;
  assert.equal(first.success, true, first.error);
  assert.ok(entries.some(({ type }) => type.kind === 'assistant_message'));

  if (ids === 'null') {
    assert.ok(entries.every(({ metadata }) => metadata?.sessionId === null));
    return;
  }
  assert.ok(sessionId);
  // An id that Vitrine chose is there before the program has printed anything.
  if (spawned.sessionId !== null) {
    assert.deepEqual([entries[0]?.index, entries[0]?.metadata], [0, { sessionId: spawned.sessionId, model: null }]);
  }
  assert.deepEqual([...new Set(entries.map(({ metadata }) => metadata?.sessionId))], [sessionId]);
  const resumed = await executor.resumeTask(nextTask, sessionId);
  const again: NormalizedEntry[] = [];
  for await (const entry of executor.normalizeOutput(api.createOutputChunks(resumed.process), workDir))
    again.push(entry);
  const second = await resumed.process.done;
  assert.equal(second.success, true, second.error);
  assert.equal(resumed.session, spawned.session);
  assert.ok(again.every(({ metadata }) => typeof metadata?.sessionId === 'string'));
}
