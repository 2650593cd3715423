import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { FollowUpRefused } from '../../../../src/engine/followUps/followUps.ts';
import { FollowUpScheduler, type DueFollowUp } from '../../../../src/engine/followUps/scheduler.ts';
import type { SummaryListener } from '../../../../src/engine/api.ts';
import type { FollowUpDecision } from '../../../../src/insight/followUps/decide.ts';
import type { SessionSummary } from '../../../../src/model/session/summary.ts';
import { aSession, aSummary } from '../../../support/sessions/records.ts';
import { silentLog } from '../../../support/silentLog.ts';

const minute = 60_000;
const delayMs = 10 * minute;

/** A made-up engine and clock: sessions end, and follow-ups are held until a test lets them end. */
class Window {
  now = 0;
  readonly sent: string[] = [];
  readonly cancelled: string[] = [];
  readonly scheduler: FollowUpScheduler;
  readonly #timers: { readonly at: number; readonly then: () => void }[] = [];
  readonly #ended = new Map<string, { readonly total: number; readonly since: number }>();
  readonly #runs = new Map<string, () => void>();
  /** What a look waits for. */
  looks: Promise<void> = Promise.resolve();
  #listener: SummaryListener = () => undefined;

  constructor() {
    this.scheduler = new FollowUpScheduler({
      engine: {
        followUps: {
          look: (id) => this.#look(id),
          cancel: (id) => {
            this.cancelled.push(id);
            return Promise.resolve();
          },
        },
        list: () => Promise.resolve([]),
        onSummary: (listener) => {
          this.#listener = listener;
          return { dispose: nothing };
        },
      },
      clock: () => this.now,
      log: silentLog,
      mayGetFollowUps: () => true,
      send: (due) => this.#send(due),
      after: (ms, then) => {
        const timer = { at: this.now + ms, then };
        this.#timers.push(timer);
        return { dispose: () => void this.#timers.splice(this.#timers.indexOf(timer) >>> 0, 1) };
      },
    });
  }

  /** A run of the session has ended, and `total` entries are there. */
  ended(id: string, total: number): void {
    this.#ended.set(id, { total, since: this.now });
    this.#listener(this.#summary(id, 'finished', total));
  }

  goesOn(id: string, total: number): void {
    this.#listener(this.#summary(id, 'running', total));
  }

  async runOver(id: string): Promise<void> {
    this.#runs.get(id)?.();
    await settled();
  }

  /** Lets the time go by, timer after timer. */
  async until(at: number): Promise<void> {
    for (;;) {
      await settled();
      const [next] = this.#timers.filter((timer) => timer.at <= at).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.now = next.at;
      next.then();
    }
    this.now = at;
  }

  due(): (readonly [string, number])[] {
    return this.scheduler.due().map(({ sessionId, at }) => [sessionId, at / minute]);
  }

  async #look(id: string): Promise<FollowUpDecision> {
    await this.looks;
    const ended = this.#ended.get(id);
    if (ended === undefined || this.cancelled.includes(id)) return { due: false, why: 'cancelled' };
    const at = Math.max(this.now, ended.since + delayMs);
    const trigger = { type: 'check_in', reason: '' } as const;
    return { due: true, at, quietUntil: 0, delayMs, trigger, prompt: 'Continue.', total: ended.total };
  }

  #send({ sessionId: id }: DueFollowUp): Promise<void> {
    if (this.cancelled.includes(id)) return Promise.reject(new FollowUpRefused('cancelled'));
    this.sent.push(id);
    return new Promise((resolve) => this.#runs.set(id, resolve));
  }

  #summary(id: string, status: SessionSummary['status'], entries: number): SessionSummary {
    return aSummary({ ...aSession({ session_id: id, status }), entries });
  }
}

const nothing = (): void => undefined;
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
};
const sessions = ['a', 'b', 'c', 'd'] as const;

describe('the scheduler of follow-ups', () => {
  let window: Window;
  beforeEach(() => (window = new Window()));
  afterEach(() => window.scheduler.dispose());

  /** Two are being sent, two wait for them. */
  async function crowd(): Promise<void> {
    for (const id of sessions) window.ended(id, 5);
    await window.until(11 * minute);
    assert.deepEqual(window.sent, ['a', 'b']);
  }

  it('sends waiting ones as others end', async () => {
    await crowd();
    await window.runOver('a');
    assert.deepEqual(window.sent, ['a', 'b', 'c']);
    await window.runOver('c');
    assert.deepEqual(window.sent, ['a', 'b', 'c', 'd']);
  });

  it('applies the delay again after replanning', async () => {
    await crowd();
    window.goesOn('c', 6);
    window.ended('c', 9);
    await window.until(12 * minute);
    assert.deepEqual(
      window.due().map(([id]) => id),
      ['d', 'c'],
    );
    await window.runOver('a');
    assert.deepEqual(window.sent, ['a', 'b', 'd'], 'and not the one that was said more to');
    await window.runOver('b');
    assert.deepEqual(window.sent, ['a', 'b', 'd']);
    await window.until(22 * minute);
    assert.deepEqual(window.sent, ['a', 'b', 'd', 'c']);
  });

  it('sends the next one after earlier ones were cancelled', async () => {
    await crowd();
    window.ended('e', 5);
    await window.scheduler.cancel('c');
    await window.scheduler.cancel('d');
    await window.until(30 * minute);
    assert.deepEqual(window.due(), [['e', 21]]);
    await window.runOver('a');
    assert.deepEqual(window.sent, ['a', 'b', 'e']);
  });

  it('records a cancellation during a check', async () => {
    let continueRun = nothing;
    window.looks = new Promise((resolve) => (continueRun = resolve));
    window.ended('a', 5);
    await window.until(minute);
    const cancelled = window.scheduler.cancel('a');
    continueRun();
    await cancelled;
    assert.deepEqual(window.cancelled, ['a']);
    await window.until(30 * minute);
    assert.deepEqual(window.sent, [], 'a plan that was made meanwhile is refused on its way');
  });

  it('records a cancellation while the run is being prepared, but not after its start', async () => {
    window.ended('a', 5);
    await window.until(11 * minute);
    assert.deepEqual(window.sent, ['a']);
    window.goesOn('a', 6);
    await window.scheduler.cancel('a');
    assert.deepEqual(window.cancelled, []);
    window.ended('b', 5);
    await window.until(22 * minute);
    await window.scheduler.cancel('b');
    assert.deepEqual(window.cancelled, ['b']);
  });

  it('records nothing if nothing is due', async () => {
    await window.scheduler.cancel('a');
    window.goesOn('a', 5);
    await window.scheduler.cancel('a');
    assert.deepEqual(window.cancelled, []);
  });
});
