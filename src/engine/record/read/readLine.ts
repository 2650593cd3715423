import { isUtf8 } from 'node:buffer';
import { parseRecordLine, type ParsedLine, type RecordLine } from '../../../formats/record.ts';
import type { RecordProblem } from '../contract.ts';

/** An intact line and its position; `line` is `null` if its kind is unknown to this version. */
export interface FoundLine {
  readonly offset: number;
  readonly bytes: number;
  readonly line: RecordLine | null;
}

export type Damage = Omit<RecordProblem, 'afterIndex'>;

export interface LineReading {
  readonly found: readonly FoundLine[];
  readonly damage: readonly Damage[];
}

const objectStart = Buffer.from('{"kind":"');
const headLength = 80;

/** Reads one line (without its line end) at `offset`. From a damaged line, takes every intact object. */
export function readLine(bytes: Buffer, offset: number): LineReading {
  if (isBlank(bytes)) return { found: [], damage: [] };
  if (bytes[0] !== 123) return salvageLines(bytes, offset);
  const parsed = parseRecordLine(bytes.toString('utf8'));
  if (parsed.problem?.reason === 'not_json') return salvageLines(bytes, offset);
  return toReading(parsed, bytes, offset);
}

function toReading(parsed: ParsedLine, bytes: Buffer, offset: number): LineReading {
  if (parsed.problem !== null) return { found: [], damage: [damageOf(bytes, offset, parsed.problem.reason)] };
  const damage = isUtf8(bytes) ? [] : [damageOf(bytes, offset, 'invalid_utf8')];
  if (parsed.value !== null && parsed.mistyped !== undefined) damage.push(damageOf(bytes, offset, 'mistyped_metadata'));
  return { found: [{ offset, bytes: bytes.length, line: parsed.value }], damage };
}

function salvageLines(bytes: Buffer, offset: number): LineReading {
  const found: FoundLine[] = [];
  const damage: Damage[] = [];
  let budget = salvageBudget(bytes.length);
  let damagedFrom = 0;
  let at = bytes.indexOf(objectStart);
  while (at >= 0 && budget > 0) {
    const end = objectEnd(bytes, at, budget);
    budget -= Math.abs(end) - at;
    const object = bytes.subarray(at, Math.max(at, end));
    const parsed = end > 0 ? parseRecordLine(object.toString('utf8')) : null;
    // Nested objects may start like a line, so only objects of a known kind count.
    if (parsed === null || parsed.value === null) {
      at = bytes.indexOf(objectStart, at + 1);
      continue;
    }
    pushDamage(damage, bytes.subarray(damagedFrom, at), offset + damagedFrom);
    const reading = toReading(parsed, object, offset + at);
    found.push(...reading.found);
    damage.push(...reading.damage);
    damagedFrom = end;
    at = bytes.indexOf(objectStart, end);
  }
  pushDamage(damage, bytes.subarray(damagedFrom), offset + damagedFrom);
  return { found, damage };
}

/** Maximum bytes to examine while salvaging lines, so that hostile input takes well below a second. */
function salvageBudget(length: number): number {
  return Math.max(length * 4, Math.min(length * 256, 64 * 1024 * 1024));
}

/** End of the object that starts at `start`; negated position if it is not a valid object. */
function objectEnd(bytes: Buffer, start: number, budget: number): number {
  const stop = Math.min(bytes.length, start + budget);
  let depth = 0;
  let inString = false;
  for (let at = start; at < stop; at += 1) {
    const byte = bytes[at] ?? 0;
    // JSON strings contain no raw control characters, and NUL is never valid.
    if (byte < 32 && (inString || byte === 0)) return -at;
    if (inString) {
      if (byte === 92) at += 1;
      else if (byte === 34) inString = false;
    } else if (byte === 34) inString = true;
    else if (byte === 123 || byte === 91) depth += 1;
    else if (byte === 125 || byte === 93) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -stop;
}

function pushDamage(damage: Damage[], bytes: Buffer, offset: number): void {
  if (isBlank(bytes)) return;
  const known = Math.min(bytes.length, objectStart.length);
  const cut = bytes.subarray(0, known).equals(objectStart.subarray(0, known));
  damage.push(damageOf(bytes, offset, bytes.includes(0) ? 'nul_bytes' : cut ? 'torn' : 'not_json'));
}

export function damageOf(bytes: Buffer, offset: number, reason: Damage['reason']): Damage {
  const head = bytes.subarray(0, headLength).toString('utf8').slice(0, headLength);
  return { offset, bytes: bytes.length, reason, head };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 32 || byte === 13 || byte === 9 || byte === 10);
}
