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

/**
 * Two of three lines of a stream are pieces of a few words, within some hundred characters that are the same from line to
 * line. What stands around the last piece that was read as JSON is remembered; a line with the very same around its own is
 * known to be JSON of the same meaning without being read as such.
 */
export class DeltaLines {
  #frame: Frame | undefined;

  /** `undefined` for any other line. It may be a piece all the same, and is to be read as JSON. */
  read(line: string): Delta | undefined {
    const frame = this.#frame;
    if (frame === undefined || !has(line, frame.head, 0)) return undefined;
    const from = frame.head.length;
    const to = line.indexOf(end, from);
    if (to === -1 || !has(line, frame.middle, to)) return undefined;
    const uuid = to + frame.middle.length;
    const after = uuid + uuidLength;
    if (line.length !== after + frame.tail.length || !has(line, frame.tail, after) || !isPlain(line, uuid, after))
      return undefined;
    const piece = unescaped(line.slice(from, to));
    if (piece === undefined) return undefined;
    const { place, kind, sessionId, parentCallId } = frame;
    return { place, kind, sessionId, parentCallId, piece };
  }

  /** A line that was read as JSON. */
  learn(line: string): void {
    const begun = head.exec(line);
    if (begun === null) return;
    const [opening, place, said, thought] = begun;
    const to = line.indexOf(end, opening.length);
    const [between, sessionId, parentCallId = null] = middle.exec(line.slice(to)) ?? [];
    if (to === -1 || between === undefined || sessionId === undefined) return;
    const rest = line.slice(to + between.length + uuidLength);
    if (!tail.test(rest)) return;
    const kind = said !== undefined ? 'text' : thought !== undefined ? 'thinking' : 'json';
    this.#frame = { head: opening, middle: between, tail: rest, place: Number(place), kind, sessionId, parentCallId };
  }
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

/** A string of its own: a part of the line would keep all of it in memory. */
function unescaped(raw: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${raw}"`);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
