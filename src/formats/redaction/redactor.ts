import { normalizedEntrySchema, type NormalizedEntry } from '../../model/transcript/entry.ts';
import { isObject } from '../../model/text/json.ts';
import { isPlaceholder, looksRandom } from './rules/entropy.ts';
import { movedRange, type Edit } from './ranges.ts';
import { secretName, type SecretName } from './rules/secretNames.ts';
import { findSecrets } from './scan.ts';

const maxListed = 10_000;
const maxDepth = 200;
const minFieldLength = 4;
const header = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]*(?:api-key|token|secret))$/i;

type JsonObject = Readonly<Record<string, unknown>>;

/** A masked secret: position, rule and length, but not the secret itself. */
export interface MaskedSecret {
  /** Index of its entry; absent outside entries. */
  readonly entry?: number;
  /** Path of the value, such as `type.tool.result.text`. */
  readonly field: string;
  readonly rule: string;
  /** Length of the secret in UTF-16 units. */
  readonly length: number;
  /** Tag in the mask: equal secrets have equal tags. */
  readonly tag: string;
}

export interface RedactionReport {
  readonly total: number;
  readonly byRule: Readonly<Record<string, number>>;
  /** The first 10,000. */
  readonly masked: readonly MaskedSecret[];
}

/** Position of a value: entry and path. */
export interface Place {
  readonly entry?: number;
  readonly path: readonly string[];
}

/**
 * Masks secrets as `[redacted:RULE hmac:TAG]`. `tag` returns a short keyed hash. Anyone with the key and the original
 * can reproduce and compare the masked text.
 */
export class Redactor {
  readonly #tag: (secret: string) => string;
  readonly #maskedSecrets: MaskedSecret[] = [];
  readonly #countByRule = new Map<string, number>();
  #total = 0;

  constructor(tag: (secret: string) => string) {
    this.#tag = tag;
  }

  report(): RedactionReport {
    return { total: this.#total, byRule: Object.fromEntries(this.#countByRule), masked: [...this.#maskedSecrets] };
  }

  /** Also adjusts the ranges of citations. @throws never for a valid entry */
  entry(entry: NormalizedEntry): NormalizedEntry {
    const { content, ...rest } = entry;
    const { text, edits } = this.#mask(content, { entry: entry.index, path: ['content'] });
    const redacted = normalizedEntrySchema.parse({
      ...this.#redactObject(rest, { entry: entry.index, path: [] }, 0),
      content: text,
    });
    const annotations = redacted.metadata?.annotations;
    if (edits.length === 0 || annotations === undefined) return redacted;
    const moved = annotations.map((annotation) =>
      annotation.kind === 'citation' ? { ...annotation, ...movedRange(annotation, edits) } : annotation,
    );
    return { ...redacted, metadata: { ...redacted.metadata, annotations: moved } };
  }

  /** Masks any JSON value at any depth, including field names. */
  redactJson(value: unknown, place: Place): unknown {
    return this.#redactJson(value, place, 0);
  }

  redactText(text: string, place: Place): string {
    return this.#mask(text, place).text;
  }

  /** First `length` UTF-16 units of a text. A secret that starts within them is masked as a whole. */
  redactBeginning(text: string, length: number, place: Place): string {
    return this.#mask(text, place, length).text;
  }

  #redactJson(value: unknown, place: Place, depth: number): unknown {
    if (typeof value === 'string') return this.#mask(value, place).text;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= maxDepth) return `[redacted: deeper than ${maxDepth} levels]`;
    if (Array.isArray(value)) {
      return value.map((item: unknown, index) =>
        this.#redactNamed(nameBefore(value, index), item, placeWithin(place, String(index)), depth),
      );
    }
    return isObject(value) ? this.#redactObject(value, place, depth) : value;
  }

  /** `parentName`: kind of the field that contains the object. */
  #redactObject(value: JsonObject, place: Place, depth: number, parentName?: SecretName): Record<string, unknown> {
    const redacted: [string, unknown][] = [];
    for (const [key, member] of Object.entries(value)) {
      const at = placeWithin(place, key);
      const name = key === 'value' ? (nameOfPair(value) ?? parentName) : nameIn(value, key);
      redacted.push([this.#mask(key, at).text, this.#redactNamed(name, member, at, depth)]);
    }
    // Unlike assignment, this keeps a field named `__proto__`.
    return Object.fromEntries(redacted);
  }

  /** Value or list of values of a named field. */
  #redactNamed(name: SecretName, value: unknown, place: Place, depth: number): unknown {
    if (name !== undefined && depth < maxDepth) {
      if (Array.isArray(value)) {
        return value.map((item: unknown, index) =>
          this.#redactNamed(name, item, placeWithin(place, String(index)), depth + 1),
        );
      }
      if (isObject(value)) return this.#redactObject(value, place, depth + 1, name);
    }
    const text = typeof value === 'number' && name === 'always' ? String(value) : value;
    return typeof text === 'string' && isSecret(text, name)
      ? this.#redactField(text, place)
      : this.#redactJson(value, place, depth + 1);
  }

  /** The complete value of a field with a telling name, under the rule's name if a rule covers all of it. */
  #redactField(value: string, place: Place): string {
    const scheme = /^(?:bearer|basic|token|bot|apikey) +/i.exec(value)?.[0].length ?? 0;
    const [first] = findSecrets(value);
    return first !== undefined && first.start <= scheme && first.end === value.length
      ? this.#mask(value, place).text
      : this.#put('named-field', value, place);
  }

  #mask(text: string, place: Place, length = text.length): { text: string; edits: readonly Edit[] } {
    const findings = findSecrets(text).filter(({ start }) => start < length);
    if (findings.length === 0) return { text: text.slice(0, length), edits: [] };
    const edits: Edit[] = [];
    const parts: string[] = [];
    let from = 0;
    for (const { start, end, rule } of findings) {
      const mask = this.#put(rule, text.slice(start, end), place);
      parts.push(text.slice(from, start), mask);
      edits.push({ before: text.slice(from, start), removed: text.slice(start, end), added: mask });
      from = end;
    }
    return { text: parts.join('') + text.slice(from, Math.max(from, length)), edits };
  }

  #put(rule: string, secret: string, place: Place): string {
    const tag = this.#tag(secret);
    this.#total += 1;
    this.#countByRule.set(rule, (this.#countByRule.get(rule) ?? 0) + 1);
    if (this.#maskedSecrets.length < maxListed) {
      const { entry } = place;
      this.#maskedSecrets.push({
        ...(entry !== undefined && { entry }),
        field: pathText(place),
        rule,
        length: secret.length,
        tag,
      });
    }
    return `[redacted:${rule} hmac:${tag}]`;
  }
}

function isSecret(text: string, name: SecretName): boolean {
  if (text.length < minFieldLength) return false;
  return name === 'always' ? !isPlaceholder(text) : name === 'random' && looksRandom(text);
}

/** For `{ name: 'API_KEY', value: … }`. */
function nameOfPair({ name, key }: JsonObject): SecretName {
  const pair = typeof name === 'string' ? name : key;
  return typeof pair === 'string' ? secretName(pair) : undefined;
}

/** `pass` is a password next to a user, and otherwise a test result. */
function nameIn(value: JsonObject, key: string): SecretName {
  const isLogin =
    /^(?:pass|pw|pwd)$/i.test(key) &&
    Object.keys(value).some((sibling) => /^(?:user(?:name)?|login|email)$/i.test(sibling));
  return isLogin ? 'always' : secretName(key);
}

/** The previous list item may be a program option or a header name, which may be the first of a pair. */
function nameBefore(list: readonly unknown[], index: number): SecretName {
  const before = list[index - 1];
  if (typeof before !== 'string') return undefined;
  const option = /^--?([\w-]+)$/.exec(before)?.[1];
  if (option !== undefined) return secretName(option);
  if (index % 2 === 0 || list.length % 2 > 0) return undefined;
  if (header.test(before)) return 'always';
  return list.length === 2 && secretName(before) !== undefined ? 'random' : undefined;
}

function placeWithin({ path, ...place }: Place, key: string): Place {
  return { ...place, path: [...path, key] };
}

/** Keys are untrusted, too. */
function pathText({ path }: Place): string {
  return path.map((key) => (key.length > 100 || findSecrets(key).length > 0 ? '(masked)' : key)).join('.');
}
