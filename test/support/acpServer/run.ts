import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Event, Message, MessagePart, Run, Scenario, Step } from './protocol.ts';

/** Receives the events of a run. */
export interface Listener {
  event(event: Event): void;
  raw(text: string): void;
  drop(): void;
}

const now = (): string => new Date().toISOString();

/** One run of a scripted agent. It stops at an await and continues when it is answered. */
export class ScriptedRun {
  readonly run: Run;
  readonly events: Event[] = [];
  readonly #steps: readonly Step[];
  readonly #words: Map<string, string>;
  readonly #cancelled = new AbortController();
  #next = 0;
  #message: Message | undefined;
  #listener: Listener | undefined;

  constructor(agent: string, scenario: Scenario, session: string, words: Readonly<Record<string, string>>) {
    this.#steps = scenario.steps;
    this.#words = new Map(Object.entries(words));
    this.run = {
      run_id: randomUUID(),
      agent_name: agent,
      session_id: session,
      status: 'created',
      await_request: null,
      output: [],
      error: null,
      created_at: now(),
      finished_at: null,
    };
  }

  /** Runs to the next await or the end. */
  async play(listener?: Listener): Promise<void> {
    this.#listener = listener;
    if (this.run.status === 'created') this.#emit({ type: 'run.created', run: this.#copy() });
    this.#status('in-progress');
    while (this.run.status === 'in-progress') {
      const step = this.#steps[this.#next];
      this.#next += 1;
      if (step === undefined) {
        this.#flush();
        this.#finish('completed');
      } else if (await this.#step(step)) return;
    }
  }

  answer(message: Message): void {
    this.run.await_request = null;
    this.#words.set('answer', message.parts.map(({ content }) => content ?? '').join(''));
  }

  cancel(): void {
    if (this.run.status === 'awaiting') this.#finish('cancelled');
    else if (this.run.finished_at === null) this.run.status = 'cancelling';
    this.#cancelled.abort();
  }

  /** Returns `true` if nobody is listening any more. */
  async #step(step: Step): Promise<boolean> {
    if ('part' in step) this.#part(step.part);
    else if ('message' in step) {
      this.#flush();
      for (const part of step.message) this.#part(part);
      this.#flush();
    } else if ('generic' in step) this.#emit({ type: 'generic', generic: step.generic });
    else if ('raw' in step) this.#listener?.raw(step.raw);
    else if ('await' in step) {
      this.#flush();
      const message = {
        role: `agent/${this.run.agent_name}`,
        parts: [{ content_type: 'text/plain', content: step.await }],
      };
      this.run.await_request = { type: 'message', message };
      this.#status('awaiting');
    } else if ('fail' in step) {
      this.#flush();
      this.run.error = step.fail;
      this.#finish('failed');
    } else if ('lose' in step) {
      this.#listener?.drop();
      this.#listener = undefined;
    } else if ('drop' in step) {
      this.#listener?.drop();
      return true;
    } else {
      if (!this.#cancelled.signal.aborted) await once(this.#cancelled.signal, 'abort');
      this.#flush();
      this.#finish('cancelled');
    }
    return false;
  }

  #part(scripted: MessagePart): void {
    const { content } = scripted;
    const part = content === undefined ? scripted : { ...scripted, content: this.#filled(content) };
    if (this.#message === undefined) {
      this.#message = { role: `agent/${this.run.agent_name}`, parts: [], created_at: now(), completed_at: null };
      this.run.output.push(this.#message);
      this.#emit({ type: 'message.created', message: structuredClone(this.#message) });
    }
    this.#message.parts.push(part);
    this.#emit({ type: 'message.part', part });
  }

  #filled(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (whole, word: string) => this.#words.get(word) ?? whole);
  }

  #flush(): void {
    const message = this.#message;
    if (message === undefined) return;
    this.#message = undefined;
    message.completed_at = now();
    this.#emit({ type: 'message.completed', message: structuredClone(message) });
  }

  #finish(status: 'completed' | 'failed' | 'cancelled'): void {
    this.run.finished_at = now();
    this.#status(status);
  }

  #status(status: Run['status']): void {
    this.run.status = status;
    this.#emit({ type: `run.${status}`, run: this.#copy() });
  }

  #copy(): Run {
    return structuredClone(this.run);
  }

  #emit(event: Event): void {
    this.events.push(event);
    this.#listener?.event(event);
  }
}
