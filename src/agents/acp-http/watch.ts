import { type JsonObject, parseObject } from '../../model/text/json.ts';
import { field } from '../shared/guards.ts';
import { EventStream } from './eventStream.ts';
import { messageText } from './messages.ts';
import { runInfo } from './wire.ts';

const endings: ReadonlySet<unknown> = new Set(['run.completed', 'run.failed', 'run.cancelled', 'error']);

/** What is needed to resume a run. Reads the same lines as its normalizer. */
export class RunWatch {
  #events = new EventStream();
  #count = 0;
  /** The newest event, as JSON. */
  #newestEvent: string | undefined;
  #runId: string | null = null;
  #hasEnded = false;
  #question: string | null = null;

  get runId(): string | null {
    return this.#runId;
  }

  /** The run has ended: no more events follow. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The question that the run is waiting on. */
  get question(): string | null {
    return this.#question;
  }

  clearQuestion(): void {
    this.#question = null;
  }

  /** A line of the stream without its end; `null` if it was too long. */
  line(line: string | null): void {
    if (line === null) {
      this.#count += 1;
      return;
    }
    for (const event of this.#events.push(line)) {
      this.#count += 1;
      if ('text' in event) this.#handleEvent(parseObject(event.text));
    }
  }

  /** The stream has ended, complete or not; the next lines are of another one. */
  cut(): void {
    for (const event of this.#events.end()) {
      const value = 'text' in event ? parseObject(event.text) : undefined;
      if (value !== undefined) this.#count += 1;
      this.#handleEvent(value);
    }
    this.#events = new EventStream();
  }

  /** The run's events that did not arrive. */
  missing(all: readonly string[]): readonly string[] {
    const distance = (index: number): number => Math.abs(index + 1 - this.#count);
    const seen = all.flatMap((event, index) => (event === this.#newestEvent ? [index] : []));
    const last = seen.sort((a, b) => distance(a) - distance(b))[0];
    return all.slice(last === undefined ? this.#count : last + 1);
  }

  #handleEvent(event: JsonObject | undefined): void {
    if (event === undefined) return;
    this.#newestEvent = JSON.stringify(event);
    const { type } = event;
    const { runId, awaits } = runInfo(event['run']);
    this.#runId = runId ?? this.#runId;
    if (endings.has(type)) this.#hasEnded = true;
    this.#question = type === 'run.awaiting' ? messageText(field(awaits, 'message')) : null;
  }
}
