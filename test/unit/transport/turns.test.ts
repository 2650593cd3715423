import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type TurnTaker, FairTurns } from '../../../src/transport/turns.ts';

/** A connection with so many messages; adds its name to `taken` for each. */
const taker = (taken: string[], name: string, messages: number): TurnTaker => ({
  handleNext: () => {
    taken.push(name);
    messages -= 1;
    return messages > 0;
  },
});

async function until(taken: readonly string[], count: number): Promise<void> {
  for (let turn = 0; taken.length < count; turn += 1) {
    assert.ok(turn < 1000, `${taken.length} of ${count} messages`);
    await nextTurn();
  }
}

describe('turns of connections', () => {
  it('alternate between connections', async () => {
    const [turns, taken]: [FairTurns, string[]] = [new FairTurns(() => 0), []];
    turns.add(taker(taken, 'a', 3));
    turns.add(taker(taken, 'b', 3));
    await until(taken, 6);
    assert.deepEqual(taken, ['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('go to a connection with one message before 500 that have many', async () => {
    const [turns, taken]: [FairTurns, string[]] = [new FairTurns(() => 0), []];
    for (let index = 0; index < 500; index += 1) turns.add(taker(taken, 'many', 5));
    await until(taken, 900);
    turns.add(taker(taken, 'one', 1));
    const before = taken.length;
    await until(taken, 2501);
    assert.ok(taken.indexOf('one') - before < 5, `after ${taken.indexOf('one') - before} others`);
  });

  it('go to a connection with many messages even if others are always ready', async () => {
    const [turns, taken]: [FairTurns, string[]] = [new FairTurns(() => 0), []];
    let isOver = false;
    const again = (): TurnTaker => ({
      handleNext() {
        taken.push('again');
        if (!isOver) setImmediate(() => turns.add(this));
        return false;
      },
    });
    turns.add(taker(taken, 'many', 20));
    for (let index = 0; index < 40; index += 1) turns.add(again());
    await until(taken, 200);
    isOver = true;
    assert.equal(taken.filter((name) => name === 'many').length, 20);
  });

  it('leave the event loop to others after 16 messages, or 4 ms', async () => {
    const [turns, taken]: [FairTurns, string[]] = [new FairTurns(() => 0), []];
    turns.add(taker(taken, 'a', 100));
    await nextTurn();
    assert.equal(taken.length, 16);
    await until(taken, 100);

    let now = 0;
    const [slow, takenSlowly]: [FairTurns, string[]] = [new FairTurns(() => (now += 1)), []];
    slow.add(taker(takenSlowly, 'b', 100));
    await nextTurn();
    assert.equal(takenSlowly.length, 4);
    await until(takenSlowly, 100);
  });

  it('do not go to a connection that has ended', async () => {
    const [turns, taken]: [FairTurns, string[]] = [new FairTurns(() => 0), []];
    const ended = taker(taken, 'ended', 5);
    turns.add(ended);
    turns.add(taker(taken, 'a', 1));
    turns.remove(ended);
    await until(taken, 1);
    await nextTurn();
    assert.deepEqual(taken, ['a']);
  });
});
