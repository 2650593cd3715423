import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { RecordStore } from '../../../../src/engine/record/recordStore.ts';
import { Bench, readEntries } from '../../../support/fakeAgent/engine.ts';

const said = (role: string, content: string, vitrine?: object): object => ({
  role,
  parts: [{ content_type: 'text/plain', content, ...(vitrine !== undefined && { vitrine }) }],
});
const marks = { synthetic: true, trigger_type: 'check_in', trigger_reason: 'No activity' };
const followUp = said('user', 'Continue our conversation naturally.', { origin: 'follow_up', ...marks });
const answer = said('agent/x', 'Hello');

describe('imports of automatic messages', function () {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.close());

  async function imported(messages: readonly object[]) {
    const engine = await bench.engine();
    const file = path.join(bench.dir, 'messages.json');
    writeFileSync(file, JSON.stringify(messages));
    const { sessionId } = await engine.archive.import({ file });
    const handle = await engine.open(sessionId);
    const { title, prompt, runs, synthetic } = handle.summary();
    const count = (await readEntries(handle)).length;
    handle.dispose();
    const store = new RecordStore(bench.store, { clock: Date.now, log: { warn: (message) => assert.fail(message) } });
    const reader = await store.openReader(sessionId);
    const [run] = await reader.runs();
    await reader.close();
    return { shown: { title, prompt, runs, synthetic }, run, count };
  }

  it("are named after the user's prompt", async () => {
    const { shown, run, count } = await imported([followUp, answer, said('user', 'Fix the parser')]);
    assert.equal(count, 3);
    const synthetic = { messages: 1, runs: 0, turns: 0 };
    assert.deepEqual(shown, { title: 'Fix the parser', prompt: 'Fix the parser', runs: 1, synthetic });
    assert.deepEqual([run?.synthetic, run?.prompt_origin], [undefined, undefined]);
  });

  it('report an automatic run if the user sent no prompt', async () => {
    const { shown, run } = await imported([followUp, answer]);
    assert.deepEqual(shown.synthetic, { messages: 1, runs: 1, turns: 0 });
    const { synthetic, trigger_type, trigger_reason, prompt_origin } = run ?? {};
    assert.deepEqual(
      { synthetic, trigger_type, trigger_reason, prompt_origin },
      { ...marks, prompt_origin: 'follow_up' },
    );
  });

  it("count as the user's without a valid mark", async () => {
    const { shown, run } = await imported([
      said('user', 'Continue.', { origin: 'follow_up', synthetic: 'true' }),
      answer,
    ]);
    assert.deepEqual([shown.prompt, shown.synthetic], ['Continue.', undefined]);
    assert.deepEqual([run?.synthetic, run?.prompt_origin], [undefined, undefined]);
  });
});
