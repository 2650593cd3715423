import assert from 'node:assert/strict';
import { codex } from '../../../../src/agents/codex/adapter.ts';
import type { OutputLine } from '../../../../src/model/transcript/normalizer.ts';
import { readBy, type Read } from '../../../support/captures/agentCaptures.ts';

const opened = { id: 'thread/start:2', result: { thread: { id: 'main' }, model: 'gpt-test' } };
const said = (method: string, params: object) => ({ method, params: { threadId: 'main', turnId: 'one', ...params } });
const turnStarted = said('turn/started', { turn: { id: 'one', status: 'inProgress' } });

function read(...lines: readonly unknown[]): Read {
  const output = [opened, turnStarted, ...lines].map((line): OutputLine => ({
    stream: 'stdout',
    text: JSON.stringify(line),
  }));
  return readBy(codex, output);
}

function contents({ entries }: Read, subtype: string): string[] {
  return entries.flatMap(({ type, content }) =>
    type.kind === 'system_message' && type.subtype === subtype ? [content] : [],
  );
}

describe('lines of the app-server of Codex', () => {
  it('keep what is unknown, and count it', () => {
    const result = read(
      said('thread/dreamt', { of: 'sheep' }),
      said('item/completed', { item: { type: 'dream', id: 'd' } }),
    );
    assert.equal(result.facts.lines.unknown, 2);
    const raw = result.entries.map(({ metadata }) => metadata?.['raw']).filter((line) => line !== undefined);
    assert.equal(raw.length, 2);
    assert.match(String(raw[0]), /sheep/);
  });

  it('about the thread of a subagent are not part of the conversation', () => {
    const item = { type: 'agentMessage', id: 'm', text: 'From below.' };
    const { entries, facts } = read(said('item/completed', { threadId: 'other', item }));
    assert.equal(facts.finalText, '');
    assert.ok(entries.every(({ content }) => !content.includes('From below')));
    assert.equal(facts.lines.unknown, 0);
  });

  it('show the limits of the plan once, only those that Codex reports', () => {
    const nothing = { primary: null, secondary: null };
    const window = (usedPercent: number) => ({ usedPercent, windowDurationMins: 300, resetsAt: 1_795_766_400 });
    assert.deepEqual(contents(read(said('account/rateLimits/updated', { rateLimits: nothing })), 'plan_limits'), []);
    const limits = { ...nothing, primary: window(12.4) };
    const shown = contents(
      read(
        { id: 'account/rateLimits/read:3', result: { rateLimits: limits } },
        said('account/rateLimits/updated', { rateLimits: nothing }),
        said('account/rateLimits/updated', { rateLimits: { ...limits, primary: window(20) } }),
      ),
      'plan_limits',
    );
    assert.equal(shown.length, 1);
    const { entries } = read(said('account/rateLimits/updated', { rateLimits: { ...limits, primary: window(20) } }));
    assert.deepEqual(entries.find(({ content }) => content.startsWith('Plan limits'))?.metadata?.['planLimits'], [
      { name: '5 h', usedPercent: 20, resetsAt: new Date(1_795_766_400_000).toISOString() },
    ]);
    assert.match(shown[0] ?? '', /^Plan limits\n- 5 h.*: 20% used, resets 2026-11-27 \d\d:\d\d UTC$/);
  });

  it('show a plan with the state of each step', () => {
    const plan = (...statuses: string[]) =>
      said('turn/plan/updated', { plan: statuses.map((status, at) => ({ step: `step ${at}`, status })) });
    const { entries } = read(plan('inProgress', 'pending'), plan('completed', 'inProgress'));
    const [todo, ...others] = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool.action] : []));
    assert.equal(others.length, 0);
    assert.ok(todo?.kind === 'todo');
    assert.deepEqual(
      todo.todos.map(({ status }) => status),
      ['completed', 'in_progress'],
    );
  });
});
