/** A piece of a text, of a thought or of a call's input (`json`), for the block at `place`. */
export interface Delta {
  readonly place: number;
  readonly kind: 'text' | 'thinking' | 'json';
  readonly sessionId: string;
  readonly parentCallId: string | null;
  readonly piece: string;
}

/** What stands around a piece and its `uuid`. */
interface Frame extends Omit<Delta, 'piece'> {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
}

const opening = '{"type":"stream_event","event":{"type":"content_block_delta","index":';
const text = String.raw`[^"\\\u0000-\u001f]*`;
const head =
  /^\{"type":"stream_event","event":\{"type":"content_block_delta","index":(\d{1,6}),"delta":\{"type":"(?:(text)_delta","text|(thinking)_delta","thinking|input_(json)_delta","partial_json)":"/;
const middle = new RegExp(
  `^"\\}\\},"session_id":"(${text})","parent_tool_use_id":(?:null|"(${text})"),"uuid":"(?=[0-9a-f-]{36}")`,
);
const tail = new RegExp(`^"(?:,"(?:thinking_display|api_message_id)":"${text}")*\\}$`);
/** Inside of a JSON string each quote follows a backslash, and so this ends the string. */
const end = '"}},"session_id":"';
const uuidLength = 36;
/** Blocks of a message follow each other at other places and with other kinds; subagents stream beside each other. */
const maxFrames = 8;

/**
 * Two of three lines of a stream are pieces of a few words, within some hundred characters that are the same from line to
 * line. What stands around pieces that were read as JSON is remembered; a line with the very same around its own is known
 * to be JSON of the same meaning without being read as such.
 */
export class DeltaLines {
  /** The one that fitted last comes first. */
  #frames: readonly Frame[] = [];

  /** `undefined` for any other line. It may be a piece all the same, and is to be read as JSON. */
  read(line: string): Delta | undefined {
    const [latest] = this.#frames;
    if (latest === undefined) return undefined;
    return deltaIn(line, latest) ?? (has(line, opening, 0) ? this.#readAsOthers(line) : undefined);
  }

  #readAsOthers(line: string): Delta | undefined {
    for (const frame of this.#frames) {
      const delta = deltaIn(line, frame);
      if (delta === undefined) continue;
      this.#putFirst(frame);
      return delta;
    }
    return undefined;
  }

  /** A line of a stream that was read as JSON. */
  learn(line: string): void {
    const started = head.exec(line);
    if (started === null) return;
    const [before, place, said, thought] = started;
    const to = line.indexOf(end, before.length);
    const [between, sessionId, parentCallId = null] = middle.exec(line.slice(to)) ?? [];
    if (to === -1 || between === undefined || sessionId === undefined) return;
    const after = line.slice(to + between.length + uuidLength);
    if (!tail.test(after)) return;
    const kind = said !== undefined ? 'text' : thought !== undefined ? 'thinking' : 'json';
    this.#putFirst({ head: before, middle: between, tail: after, place: Number(place), kind, sessionId, parentCallId });
  }

  #putFirst(frame: Frame): void {
    // The first piece of each block is read as JSON, and brings a frame that may be known.
    const others = this.#frames.filter(
      (other) => other.head !== frame.head || other.middle !== frame.middle || other.tail !== frame.tail,
    );
    this.#frames = [frame, ...others].slice(0, maxFrames);
  }
}

/** The piece of a line that has the frame around it: from its beginning, and counted from its end. */
function deltaIn(line: string, frame: Frame): Delta | undefined {
  const after = line.length - frame.tail.length;
  const uuid = after - uuidLength;
  const to = uuid - frame.middle.length;
  const from = frame.head.length;
  if (to < from || !has(line, frame.head, 0) || !has(line, frame.middle, to) || !has(line, frame.tail, after))
    return undefined;
  const piece = isPlain(line, uuid, after) ? unescaped(line.slice(from - 1, to + 1)) : undefined;
  if (piece === undefined) return undefined;
  const { place, kind, sessionId, parentCallId } = frame;
  return { place, kind, sessionId, parentCallId, piece };
}

/** A `startsWith` that compares memory at once, and not letter by letter. */
function has(line: string, part: string, at: number): boolean {
  return line.slice(at, at + part.length) === part;
}

/** Without what ends or escapes in a JSON string, or may not stand in one. A loop: this is asked of each line. */
function isPlain(line: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = line.charCodeAt(at);
    if (code < 32 || code === 34 || code === 92) return false;
  }
  return true;
}

/** What a JSON string says. A string of its own: a part of the line would keep all of it in memory. */
function unescaped(quoted: string): string | undefined {
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
