import { createParser } from 'eventsource-parser';
import { isObject } from '../model/json.ts';

/** One event of a stream as one line. */
export type EventLine =
  | {
      readonly kind: 'event';
      /** JSON without line ends, or what was sent in its place. */
      readonly text: string;
      readonly type: string | undefined;
      readonly runId: string | undefined;
      /** Nothing comes after it: the run is over, or waits for an answer. */
      readonly ends: boolean;
    }
  | { readonly kind: 'too_large'; readonly type?: undefined; readonly runId?: undefined };

const endings: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.awaiting', 'error']);

/** The data of an event stream, event by event. A line that is no field of one is given as it stands. */
export async function* eventLines(
  body: AsyncIterable<Uint8Array>,
  maxCharacters: number,
): AsyncGenerator<EventLine, void, undefined> {
  let ready: EventLine[] = [];
  const parser = createParser({
    maxBufferSize: maxCharacters,
    onEvent: ({ data }) => ready.push(lineOf(data)),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') ready.push({ kind: 'too_large' });
      else if (error.line !== undefined && error.line !== '') ready.push(lineOf(error.line));
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const events = ready;
    ready = [];
    for (const event of events) {
      yield event;
      if (event.kind === 'too_large') return;
    }
  }
}

function lineOf(data: string): EventLine {
  // In JSON a line end can stand between tokens only.
  const text = data.replaceAll(/[\r\n]+/g, ' ');
  const value = parsed(text);
  const type = isObject(value) && typeof value['type'] === 'string' ? value['type'] : undefined;
  const run = isObject(value) ? value['run'] : undefined;
  const runId = isObject(run) && typeof run['run_id'] === 'string' ? run['run_id'] : undefined;
  return { kind: 'event', text, type, runId, ends: type !== undefined && endings.has(type) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
