import assert from 'node:assert/strict';
import { claudeCode } from '../../../../src/agents/claude-code/adapter.ts';
import { codex } from '../../../../src/agents/codex/adapter.ts';
import { storedLine } from '../../../../src/engine/launch/storedLine.ts';
import { captureFile } from '../../../support/stores/homes.ts';

const thread = '01a20a94-3f5e-79f1-96db-6cba92c1a9a2';
const home = captureFile('codex-0.169.0/exec-tools', 'home');

describe('a line of an agent’s own store', () => {
  it('names the model that Codex does not print', async () => {
    const line = await storedLine(codex, thread, { HOME: home });
    const normalizer = codex.createNormalizer({ workDir: '/w', firstIndex: 0 });
    normalizer.push({ stream: 'stdout', text: JSON.stringify({ type: 'thread.started', thread_id: thread }) }, 0);
    assert.equal(normalizer.facts().model, null);
    normalizer.push({ stream: 'store', text: line ?? '' }, 1);
    assert.equal(normalizer.facts().model, /"model":"(gpt-[^"]*)"/.exec(line ?? '')?.[1]);
  });

  it('is not read for another conversation, without a store, or for an agent that prints everything', async () => {
    assert.equal(await storedLine(codex, '01a20a94-0000-79f1-96db-6cba92c1a9a2', { HOME: home }), null);
    assert.equal(await storedLine(codex, undefined, { HOME: home }), null);
    assert.equal(await storedLine(codex, thread, { HOME: '/nowhere' }), null);
    assert.equal(await storedLine(claudeCode, thread, { HOME: home }), null);
  });

  it('changes nothing where it is damaged', () => {
    const normalizer = codex.createNormalizer({ workDir: '/w', firstIndex: 0 });
    for (const text of ['', '{', '{"payload":{"model":5}}', 'null']) normalizer.push({ stream: 'store', text }, 0);
    assert.equal(normalizer.facts().model, null);
  });
});
