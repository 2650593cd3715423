import assert from 'node:assert/strict';
import { Countdown, type Presence } from '../../../../src/engine/requests/countdown.ts';
import { until } from '../../../support/until.ts';

class Person implements Presence {
  #isPresent = false;
  readonly #listeners = new Set<() => void>();

  isPresent(): boolean {
    return this.#isPresent;
  }

  onChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  move(isPresent: boolean): void {
    this.#isPresent = isPresent;
    for (const listener of this.#listeners) listener();
  }
}

describe('a countdown', () => {
  it('pauses while no user is present, and continues from there', async () => {
    let now = 1000;
    let ended = 0;
    let changes = 0;
    const person = new Person();
    const countdown = new Countdown(60_000, {
      presence: person,
      clock: () => now,
      onExpired: () => (ended += 1),
      onChange: () => (changes += 1),
    });
    assert.equal(countdown.endsAt, undefined);
    person.move(true);
    assert.equal(countdown.endsAt, 61_000);
    now = 31_000;
    person.move(false);
    assert.equal(countdown.endsAt, undefined);
    now = 500_000;
    person.move(true);
    assert.equal(countdown.endsAt, 530_000);
    now = 530_000;
    person.move(false);
    person.move(true);
    await until('the end', () => ended === 1);
    assert.equal(changes, 5);
    countdown.dispose();
    person.move(false);
    assert.equal(changes, 5);
  });

  it('runs if presence is unknown', async () => {
    let ended = 0;
    const deps = { presence: undefined, clock: () => 0, onExpired: () => (ended += 1), onChange: () => undefined };
    assert.equal(new Countdown(1, deps).endsAt, 1);
    await until('the end', () => ended === 1);
  });
});
