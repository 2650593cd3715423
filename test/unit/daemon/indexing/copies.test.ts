import assert from 'node:assert/strict';
import { packSession, SessionUnpacker } from '../../../../src/daemon/indexing/copies.ts';
import { loadPrices } from '../../../../src/insight/prices/prices.ts';
import { captureFile, sourcesOf } from '../../../support/stores/homes.ts';

describe('a session found by another thread', () => {
  it('is equal after copying, and shares the notes object while it is unchanged', async () => {
    const sources = sourcesOf(captureFile('claude-code-2.1.330/tty-tools', 'home'));
    const [row] = await sources.list(await loadPrices());
    const found = await sources.findFollowed(row?.session_id ?? '');
    assert(found !== undefined);
    const unpacker = new SessionUnpacker();
    const first = unpacker.unpack(structuredClone(packSession(found)));
    assert.deepEqual(first, found);
    assert.equal(unpacker.unpack(structuredClone(packSession(found))).notes, first.notes);
    unpacker.forgetNotes();
    assert.notEqual(unpacker.unpack(structuredClone(packSession(found))).notes, first.notes);
  });
});
