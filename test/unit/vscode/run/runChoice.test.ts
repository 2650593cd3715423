import assert from 'node:assert/strict';
import { choiceOf, rememberable } from '../../../../src/vscode/run/runChoice.ts';
import { withChoice } from '../../../../src/agents/withChoice.ts';
import { RunMemory } from '../../../../src/vscode/run/runMemory.ts';
import { runRequestOf } from '../../../../src/vscode/run/runRequest.ts';

/** What VS Code gives to keep things in; values go through JSON, as they do there. */
class Memento {
  readonly kept = new Map<string, string>();
  keys(): readonly string[] {
    return [...this.kept.keys()];
  }
  get<T>(key: string, otherwise?: T): T | undefined {
    const found = this.kept.get(key);
    return found === undefined ? otherwise : (JSON.parse(found) as T);
  }
  update(key: string, value: unknown): Promise<void> {
    this.kept.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}

describe('a choice for runs', () => {
  it("overrides settings, and can reset them to the agent's default", () => {
    const settings = { model: 'opus', permissionMode: 'plan', maxTurns: 5, extraArgs: ['-x'] };
    assert.deepEqual(withChoice(settings, {}), settings);
    assert.deepEqual(withChoice(settings, { model: 'haiku', maxTurns: 9 }), {
      ...settings,
      model: 'haiku',
      maxTurns: 9,
    });
    assert.deepEqual(withChoice(settings, { model: '', permissionMode: 'default', maxTurns: 0 }), {
      extraArgs: ['-x'],
    });
  });

  it('is not remembered if it bypasses permissions', () => {
    const choice = { model: 'm', permissionMode: 'bypassPermissions' };
    assert.deepEqual(rememberable('claude-code', choice), { model: 'm' });
    assert.deepEqual(rememberable('claude-code', { permissionMode: 'plan' }), { permissionMode: 'plan' });
    assert.deepEqual(rememberable('claude-code', { permissionMode: 'never-heard-of' }), {});
  });

  it('is validated', () => {
    assert.deepEqual(choiceOf({ model: 'm', maxTurns: 3, other: 1 }), { model: 'm', maxTurns: 3 });
    for (const bad of [
      { model: 7 },
      { model: 'a\nb' },
      { model: 'x'.repeat(300) },
      { maxTurns: -1 },
      { maxTurns: '3' },
      7,
    ]) {
      assert.equal(choiceOf(bad), undefined, JSON.stringify(bad));
    }
  });
});

describe("a command's argument", () => {
  it('is a complete request or ignored', () => {
    const request = { agent: 'codex', prompt: 'Do it', cwd: '/here', profile: 'p', model: 'm', maxTurns: 2 };
    const { model, maxTurns, ...rest } = request;
    assert.deepEqual(runRequestOf(request), { ...rest, choice: { model, maxTurns } });
    assert.deepEqual(runRequestOf({ agent: 'codex', prompt: '' }), { agent: 'codex', prompt: '' });
    for (const bad of [
      undefined,
      'codex',
      { agent: 'codex' },
      { agent: 'sh', prompt: 'x' },
      { ...request, cwd: 'relative' },
      { ...request, profile: 7 },
      { ...request, profile: 'a\u202eb' },
      { ...request, permissionMode: ['plan'] },
      { ...request, maxBudgetUsd: Number.NaN },
    ]) {
      assert.equal(runRequestOf(bad), undefined, JSON.stringify(bad));
    }
  });
});

describe('the memory of runs', () => {
  it('has the last agent, its choice and its models, by agent and profile', async () => {
    const memory = new RunMemory(new Memento());
    assert.deepEqual([memory.isLast({ agent: 'codex' }), memory.choice({ agent: 'codex' })], [false, {}]);
    await memory.rememberRun({ agent: 'acp', profile: 'a' }, { model: 'one' }, 'ses_1');
    await memory.rememberRun({ agent: 'acp', profile: 'b' }, { model: 'two' }, 'ses_2');
    assert.deepEqual(memory.choice({ agent: 'acp', profile: 'a' }), { model: 'one' });
    assert.ok(memory.isLast({ agent: 'acp', profile: 'b' }) && !memory.isLast({ agent: 'acp' }));
    assert.deepEqual(memory.choiceOfSession('ses_1'), { model: 'one' });
    assert.deepEqual(memory.choiceOfSession('ses_9'), {});
    for (const model of ['three', 'two', 'four', 'five', 'six', 'seven']) {
      await memory.rememberRun({ agent: 'acp', profile: 'b' }, { model }, 'ses_2');
    }
    assert.deepEqual(memory.models({ agent: 'acp', profile: 'b' }), ['seven', 'six', 'five', 'four', 'two']);
  });

  it('returns a choice at once, before it is stored', () => {
    const memento = new Memento();
    const update = memento.update.bind(memento);
    memento.update = (key, value) => {
      void update(key, value);
      return new Promise(() => undefined);
    };
    const memory = new RunMemory(memento);
    void memory.rememberRun({ agent: 'codex' }, { model: 'm' }, 'ses_1');
    assert.ok(memory.isLast({ agent: 'codex' }));
    assert.deepEqual(memory.choice({ agent: 'codex' }), { model: 'm' });
    assert.deepEqual(memory.choiceOfSession('ses_1'), { model: 'm' });
    assert.deepEqual(memory.models({ agent: 'codex' }), ['m']);
  });

  it('forgets the oldest sessions, and modes that bypass permissions at once', async () => {
    const memory = new RunMemory(new Memento());
    for (let at = 0; at < 205; at += 1) await memory.rememberRun({ agent: 'codex' }, { model: 'm' }, `ses_${at}`);
    assert.deepEqual([memory.choiceOfSession('ses_4'), memory.choiceOfSession('ses_5')], [{}, { model: 'm' }]);
    await memory.rememberRun({ agent: 'gemini' }, { permissionMode: 'yolo' }, 'ses_bypass');
    assert.deepEqual([memory.choice({ agent: 'gemini' }), memory.choiceOfSession('ses_bypass')], [{}, {}]);
  });

  it('ignores damaged data', async () => {
    const memento = new Memento();
    await memento.update('runChoices', { codex: { model: 7 } });
    await memento.update('recentModels', { codex: ['good', 8, 'bad\n'] });
    await memento.update('sessionChoices', 'nonsense');
    const memory = new RunMemory(memento);
    assert.deepEqual(memory.choice({ agent: 'codex' }), {});
    assert.deepEqual(memory.models({ agent: 'codex' }), ['good']);
    assert.deepEqual(memory.choiceOfSession('ses_1'), {});
  });
});
