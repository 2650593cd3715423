import assert from 'node:assert/strict';
import {
  ChunkTexts,
  encodeChunk,
  type EntryTexts,
  hasZstd,
  packChunk,
  textBytesOf,
} from '../../../../src/engine/catalogue/chunkText.ts';

const entries = [
  { index: 3, texts: ['a prompt\nwith lines', ''] },
  { index: 4, texts: [] },
  { index: 9, texts: ['é 再試行 😀', 'the same words, the same words'] },
];

describe('packed texts', () => {
  const unpacked = (packed: Uint8Array): EntryTexts[] => {
    const chunk = new ChunkTexts(packed);
    return chunk.indexes.map((index) => ({ index, texts: chunk.of(index) ?? [] }));
  };

  it('are the same after unpacking', () => {
    for (const packing of hasZstd() ? (['zstd', 'deflate'] as const) : (['deflate'] as const)) {
      const packed = packChunk(encodeChunk(entries), packing);
      assert.deepEqual(unpacked(packed), entries, packing);
      assert.equal(textBytesOf(packed), Buffer.byteLength(entries.flatMap(({ texts }) => texts).join('')), packing);
    }
  });

  it('are read one by one where all characters are ASCII', () => {
    const plain = [
      { index: 0, texts: ['one', 'two\n'] },
      { index: 70, texts: ['', 'three'] },
    ];
    assert.deepEqual(unpacked(packChunk(encodeChunk(plain), 'deflate')), plain);
  });

  it('keep their places after a text that was cut within a character', () => {
    const cut = '😀'.slice(0, 1);
    const texts = new ChunkTexts(packChunk(encodeChunk([{ index: 0, texts: [cut, 'next'] }]), 'deflate'));
    assert.deepEqual(texts.of(0), ['\ufffd', 'next']);
    assert.equal(texts.of(1), undefined);
  });

  it('cannot be read if damaged', () => {
    const packed = packChunk(encodeChunk(entries), 'deflate');
    assert.throws(() => new ChunkTexts(packed.subarray(0, packed.length / 2)));
  });
});
