import type { EntryUpdate } from '../../src/model/transcript/entry.ts';

/** Milliseconds from when the stand-in of an agent said something to when it is heard here. */
export class Stamps {
  readonly delays: number[] = [];

  hear(updates: readonly EntryUpdate[]): void {
    const now = process.hrtime.bigint();
    for (const update of updates) {
      const [, at] = /^stamp (\d+)$/.exec(update.op === 'put' ? update.entry.content : '') ?? [];
      if (at !== undefined) this.delays.push(Number(now - BigInt(at)) / 1e6);
    }
  }
}

/** What the stand-in does: says `count` times when it says it. */
export const stamping = (count: number, perSecond: number) => [
  { init: true },
  { stamps: { count, perSecond } },
  { result: {} },
];
