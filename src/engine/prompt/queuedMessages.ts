import * as z from 'zod';
import type { LineOf } from '../../formats/record.ts';
import type { QueuedMessage } from '../api.ts';
import type { Note } from '../run/note.ts';

/** `null`: the message was sent or unsent. */
export type QueueChange = QueuedMessage | { readonly id: number; readonly text: null };

const lineSchema = z.object({
  type: z.literal('message_queue'),
  message_id: z.number(),
  text: z.string().nullable(),
});

/** Queued messages are recorded, so that a crash does not lose them. */
function queueLine(runId: string, at: string, { id, text }: QueueChange): LineOf<'decision'> {
  return { kind: 'decision', decision: { type: 'message_queue', at, run_id: runId, message_id: id, text } };
}

/** A sent message must be recorded (`written`) before it leaves the queue. */
export function queueRecorder(
  run: { readonly runId: string; whenWritten(): Promise<void> },
  clock: () => number,
  append: (line: LineOf<'decision'>) => Promise<void>,
): (change: QueueChange) => void {
  return (change) => {
    const keep = (): Promise<void> => append(queueLine(run.runId, new Date(clock()).toISOString(), change));
    void (change.text === null ? run.whenWritten().then(keep) : keep());
  };
}

/** Messages that are queued after all `decisions` of a run, by id. */
export class RecordedQueue {
  readonly #texts = new Map<number, string>();

  apply(decision: LineOf<'decision'>['decision']): void {
    const { data } = lineSchema.safeParse(decision);
    if (data === undefined) return;
    if (data.text === null) this.#texts.delete(data.message_id);
    else this.#texts.set(data.message_id, data.text);
  }

  get texts(): readonly string[] {
    return [...this.#texts.values()];
  }
}

export function unsentNote(text: string): Note {
  return {
    subtype: 'unsaid',
    content: `The run ended before this message was sent to the agent:\n\n${text.replaceAll(/^/gm, '> ')}`,
  };
}
