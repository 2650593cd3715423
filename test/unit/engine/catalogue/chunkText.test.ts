import assert from 'node:assert/strict';
import {
  encodeChunk,
  hasZstd,
  packChunk,
  textBytesOf,
  unpackChunk,
} from '../../../../src/engine/catalogue/chunkText.ts';

const entries = [
  { index: 3, texts: ['a prompt\nwith lines', ''] },
  { index: 4, texts: [] },
  { index: 9, texts: ['é 再試行 😀', 'the same words, the same words'] },
];

describe('packed texts', () => {
  it('are the same after unpacking', () => {
    for (const packing of hasZstd() ? (['zstd', 'deflate'] as const) : (['deflate'] as const)) {
      const packed = packChunk(encodeChunk(entries), packing);
      assert.deepEqual(
        [...unpackChunk(packed)],
        entries.map(({ index, texts }) => [index, texts]),
        packing,
      );
      assert.equal(textBytesOf(packed), Buffer.byteLength(entries.flatMap(({ texts }) => texts).join('')), packing);
    }
  });

  it('keep their places after a text that was cut within a character', () => {
    const cut = '😀'.slice(0, 1);
    const unpacked = unpackChunk(packChunk(encodeChunk([{ index: 0, texts: [cut, 'next'] }]), 'deflate'));
    assert.deepEqual(unpacked.get(0), ['\ufffd', 'next']);
  });

  it('cannot be read if damaged', () => {
    const packed = packChunk(encodeChunk(entries), 'deflate');
    assert.throws(() => unpackChunk(packed.subarray(0, packed.length / 2)));
  });
});
