import assert from 'node:assert/strict';
import { FollowedTranscript } from '../../../../src/cli/attach/transcript.ts';
import type { AgentRequest, Decision } from '../../../../src/model/agent/request.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import type { SessionUpdate } from '../../../../src/protocol/daemon/session.ts';

const at = '2026-11-24T00:00:00.000Z';
const request: AgentRequest = { id: 'p', kind: 'permission', title: 'Run', asked_at: at };
const decision: Decision = { by: 'user', at, answer: { kind: 'deny' } };
const requestEntry = (content: string, metadata: NormalizedEntry['metadata'] = {}): NormalizedEntry => ({
  index: 0,
  timestamp: at,
  type: { kind: 'system_message', subtype: 'request' },
  content,
  metadata,
});

/** What is printed of these states of one entry. */
async function printed(states: readonly NormalizedEntry[], visible?: (entry: NormalizedEntry) => string) {
  const texts: string[] = [];
  const print = ({ content }: NormalizedEntry): Promise<void> => {
    texts.push(content);
    return Promise.resolve();
  };
  const call = () => Promise.reject(new Error('all entries are in the updates'));
  const transcript = new FollowedTranscript({ call }, 'ses_000000000001', print, visible);
  for (const [at, entry] of states.entries()) {
    const state = { open: at === 0 ? [0] : [], total: 1 } as unknown as SessionUpdate['state'];
    await transcript.update({ updates: [{ op: 'put', entry, open: at === 0 }], gap: false, state } as never);
  }
  return texts;
}

describe('the transcript at an attached terminal', () => {
  const asking = requestEntry('Asks', { request });
  const text = ({ content }: NormalizedEntry): string => content;

  it('prints a request that settles without a decision once', async () => {
    assert.deepEqual(await printed([asking, requestEntry('Asks')], text), ['Asks']);
  });

  it('prints a request again with its decision', async () => {
    assert.deepEqual(await printed([asking, requestEntry('Denied', { request, decision })], text), ['Asks', 'Denied']);
  });

  it('prints every change as JSON', async () => {
    assert.deepEqual(await printed([asking, requestEntry('Asks')]), ['Asks', 'Asks']);
  });
});
