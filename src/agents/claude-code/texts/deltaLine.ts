/** A piece of a text, a thought or a call's input (`json`), for the block at `place`. */
export interface Delta {
  readonly place: number;
  readonly kind: 'text' | 'thinking' | 'json';
  readonly sessionId: string;
  readonly parentCallId: string | null;
  readonly piece: string;
}

/** The constant text around a piece and its `uuid`. */
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
/** In a JSON string, a backslash precedes each quote, so this ends the string. */
const end = '"}},"session_id":"';
const uuidLength = 36;
/** Consecutive blocks differ in position and kind, and subagents stream in parallel. */
const maxFrames = 8;

/**
 * Two thirds of the streamed lines have a few new words among some hundred characters that every line repeats. This
 * remembers the text around parsed pieces. A line with exactly the same text around its piece is valid JSON with the same
 * meaning, and need not be parsed.
 */
export class DeltaLines {
  /** The last match comes first. */
  #frames: readonly Frame[] = [];

  /** `undefined` for any other line, which must be parsed; it may still be a piece. */
  read(line: string): Delta | undefined {
    const [latest] = this.#frames;
    if (latest === undefined) return undefined;
    return parseDelta(line, latest) ?? (hasPart(line, opening, 0) ? this.#readWithKnownFrames(line) : undefined);
  }

  #readWithKnownFrames(line: string): Delta | undefined {
    for (const frame of this.#frames) {
      const delta = parseDelta(line, frame);
      if (delta === undefined) continue;
      this.#putFirst(frame);
      return delta;
    }
    return undefined;
  }

  /** A streamed line that was parsed. */
  learnForm(line: string): void {
    const started = head.exec(line);
    if (started === null) return;
    const [before, place, spokenText, thought] = started;
    const to = line.indexOf(end, before.length);
    const [between, sessionId, parentCallId = null] = middle.exec(line.slice(to)) ?? [];
    if (to === -1 || between === undefined || sessionId === undefined) return;
    const after = line.slice(to + between.length + uuidLength);
    if (!tail.test(after)) return;
    const kind = spokenText !== undefined ? 'text' : thought !== undefined ? 'thinking' : 'json';
    this.#putFirst({ head: before, middle: between, tail: after, place: Number(place), kind, sessionId, parentCallId });
  }

  #putFirst(frame: Frame): void {
    // The first piece of each block is parsed, and may add a frame.
    const others = this.#frames.filter(
      (other) => other.head !== frame.head || other.middle !== frame.middle || other.tail !== frame.tail,
    );
    this.#frames = [frame, ...others].slice(0, maxFrames);
  }
}

/** The piece of a line with this frame, which is measured from both ends. */
function parseDelta(line: string, frame: Frame): Delta | undefined {
  const after = line.length - frame.tail.length;
  const uuid = after - uuidLength;
  const to = uuid - frame.middle.length;
  const from = frame.head.length;
  if (
    to < from ||
    !hasPart(line, frame.head, 0) ||
    !hasPart(line, frame.middle, to) ||
    !hasPart(line, frame.tail, after)
  )
    return undefined;
  const piece = isPlain(line, uuid, after) ? decodeJsonString(line.slice(from - 1, to + 1)) : undefined;
  if (piece === undefined) return undefined;
  const { place, kind, sessionId, parentCallId } = frame;
  return { place, kind, sessionId, parentCallId, piece };
}

/** Like `startsWith`, but compares memory at once instead of character by character. */
function hasPart(line: string, part: string, at: number): boolean {
  return line.slice(at, at + part.length) === part;
}

/** Whether it has no characters that end, escape or are invalid in a JSON string. A loop, because it runs for each line. */
function isPlain(line: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = line.charCodeAt(at);
    if (code < 32 || code === 34 || code === 92) return false;
  }
  return true;
}

/** Decodes a JSON string into a new string: a slice would keep the whole line in memory. */
function decodeJsonString(quoted: string): string | undefined {
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
