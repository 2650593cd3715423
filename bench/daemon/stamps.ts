import type { EntryUpdate } from '../../src/model/transcript/entry.ts';

/** Milliseconds from a message of the stand-in agent to its arrival here. */
export class Stamps {
  readonly delays: number[] = [];

  addUpdates(updates: readonly EntryUpdate[]): void {
    const now = process.hrtime.bigint();
    for (const update of updates) {
      const [, at] = /^stamp (\d+)$/.exec(update.op === 'put' ? update.entry.content : '') ?? [];
      if (at !== undefined) this.delays.push(Number(now - BigInt(at)) / 1e6);
    }
  }
}

/** Script for the stand-in: `count` messages with their times. */
export const stamping = (count: number, perSecond: number) => [
  { init: true },
  { stamps: { count, perSecond } },
  { result: {} },
];
