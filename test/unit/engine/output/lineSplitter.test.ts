import assert from 'node:assert/strict';
import { LineSplitter, type SplitLine } from '../../../../src/engine/output/lineSplitter.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function split(input: Uint8Array, size: number, cap?: number): SplitLine[] {
  const splitter = new LineSplitter(cap);
  const lines: SplitLine[] = [];
  for (let at = 0; at < input.length; at += size) lines.push(...splitter.push(input.subarray(at, at + size)));
  return [...lines, ...splitter.end()];
}

const texts = (lines: readonly SplitLine[]): string[] =>
  lines.map((line) => ('text' in line ? line.text : `<${line.oversize.bytes}>`));

describe('LineSplitter', () => {
  it('gives the same lines for any chunk sizes', () => {
    const input = bytes('\uFEFF{"a":"ü\u2028x"}\r\n\n{"b":1}\nhalf');
    for (const size of [1, 2, 3, 5, 1000]) {
      assert.deepEqual(split(input, size), [
        { text: '{"a":"ü\u2028x"}' },
        { text: '' },
        { text: '{"b":1}' },
        { text: 'half' },
      ]);
    }
  });

  it('marks an oversized line, keeps its beginning and continues after it', () => {
    for (const size of [1, 7, 10_000]) {
      const lines = split(bytes(`a\n${'x'.repeat(5000)}\nb\n`), size, 2000);
      assert.deepEqual(texts(lines), ['a', '<5000>', 'b']);
      assert.deepEqual(lines[1], { oversize: { bytes: 5000, head: 'x'.repeat(1024) } });
    }
  });

  it('accepts a line of exactly the limit', () => {
    assert.deepEqual(texts(split(bytes('abcd\nabcde\n'), 3, 4)), ['abcd', '<5>']);
  });

  it('never throws at invalid UTF-8', () => {
    assert.deepEqual(texts(split(Uint8Array.of(0x61, 0xff, 0xc3, 10, 0xe2, 0x82), 1)), ['a\ufffd\ufffd', '\ufffd']);
  });

  it('keeps a byte order mark that is not at the start', () => {
    assert.deepEqual(texts(split(bytes('a\n\uFEFFb\n'), 2)), ['a', '\uFEFFb']);
  });

  it('gives nothing for empty input', () => {
    assert.deepEqual(split(new Uint8Array(), 1), []);
  });
});
