import assert from 'node:assert/strict';
import { clientFrame, type Frame, FrameReader } from '../../../../src/daemon/joining/frames.ts';

/** A frame of a server, which is not masked. */
function serverFrame(opcode: number, data: Buffer, isLast = true): Buffer {
  const head = [(isLast ? 0x80 : 0) | opcode];
  if (data.length < 126) head.push(data.length);
  else if (data.length < 0x1_0000) head.push(126, data.length >> 8, data.length & 0xff);
  else
    head.push(
      127,
      0,
      0,
      0,
      0,
      data.length >>> 24,
      (data.length >> 16) & 0xff,
      (data.length >> 8) & 0xff,
      data.length & 0xff,
    );
  return Buffer.concat([Buffer.from(head), data]);
}

const texts = (frames: readonly Frame[]): string[] =>
  frames.flatMap((frame) => (frame.kind === 'text' ? [frame.text] : []));

describe('frames of a WebSocket', () => {
  const messages = ['', 'a', 'ü'.repeat(62), 'b'.repeat(126), '😀'.repeat(16_384), 'c'.repeat(70_000)];
  const all = Buffer.concat(messages.map((text) => serverFrame(1, Buffer.from(text))));

  it('are read in any portions', () => {
    for (const size of [1, 2, 3, 7, 1000, 65_536, all.length]) {
      const reader = new FrameReader();
      const read: Frame[] = [];
      for (let at = 0; at < all.length; at += size) read.push(...reader.add(all.subarray(at, at + size)));
      assert.deepEqual(texts(read), messages);
    }
  });

  it('make one message of its parts, also with a ping in between and a character that was split', () => {
    const bytes = Buffer.from('one 😀 two');
    const reader = new FrameReader();
    const read = [
      serverFrame(1, bytes.subarray(0, 6), false),
      serverFrame(9, Buffer.from('still there?')),
      serverFrame(0, bytes.subarray(6, 7), false),
      serverFrame(0, bytes.subarray(7)),
      serverFrame(8, Buffer.alloc(0)),
    ].flatMap((frame) => reader.add(frame));
    assert.deepEqual(read, [
      { kind: 'ping', data: Buffer.from('still there?') },
      { kind: 'text', text: 'one 😀 two' },
      { kind: 'close' },
    ]);
  });

  it('are refused beyond the limit', () => {
    const head = Buffer.from([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]);
    assert.throws(() => new FrameReader().add(head), RangeError);
    const reader = new FrameReader();
    const part = serverFrame(0, Buffer.alloc(40 * 1024 * 1024), false);
    reader.add(part);
    assert.throws(() => reader.add(part), RangeError);
  });

  it('of a client are masked, and say their length', () => {
    const mask = Buffer.from([1, 2, 3, 4]);
    for (const length of [0, 5, 125, 126, 65_535, 65_536]) {
      const data = Buffer.alloc(length, 'xyz');
      const frame = clientFrame('text', data, mask);
      const start = length < 126 ? 2 : length < 0x1_0000 ? 4 : 10;
      assert.equal(frame[0], 0x81);
      assert.equal((frame[1] ?? 0) & 0x80, 0x80);
      const isMasked = frame.subarray(start, start + 4).equals(mask);
      const unmasked = Buffer.from(frame.subarray(start + 4).map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
      assert.ok(isMasked && unmasked.equals(data), String(length));
    }
  });
});
