import type { Citation } from '../../model/metadata.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { field, nonEmpty, objects, text } from './wire.ts';

const maxDepth = 200;

/** Whether a value can be written as JSON again: deeper nesting than this overflows the stack of most programs. */
export function isShallow(value: unknown, depth = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isShallow(item, depth - 1)) return false;
  } else if (isObject(value)) {
    for (const key in value) if (!isShallow(value[key], depth - 1)) return false;
  }
  return true;
}

export const tooDeep = `(nested deeper than ${maxDepth} levels: see the raw output)`;

/** `value`, or a note in its place where it is nested too deep to be kept. */
export function bounded(value: unknown): unknown {
  return isShallow(value) ? value : tooDeep;
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** What stands for an image or a document in a text: its type and size, or its address. */
function attachment(block: JsonObject): string | undefined {
  if (block['type'] !== 'image' && block['type'] !== 'document') return undefined;
  const source = block['source'];
  const data = text(field(source, 'data')) ?? text(block['data']);
  const type = nonEmpty(field(source, 'media_type')) ?? nonEmpty(block['mimeType']);
  const url = nonEmpty(field(source, 'url'));
  const size = data === undefined ? url : bytesText(base64Bytes(data));
  return `[${[block['type'], [type, size].filter((part) => part !== undefined).join(', ')].join(' ').trim()}]`;
}

/** A content block as text for people; `undefined` where the block is of an unknown kind. */
export function blockText(block: unknown): string | undefined {
  if (typeof block === 'string') return block;
  if (!isObject(block)) return undefined;
  if (block['type'] === 'text') return text(block['text']);
  if (block['type'] === 'tool_reference') return `[tool ${nonEmpty(block['tool_name']) ?? '?'}]`;
  return attachment(block);
}

/** The content of a tool result as text: a text, a list of blocks, or an object of an API tool. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) return resultItemText(content);
  return content.map(resultItemText).join('\n');
}

function resultItemText(item: unknown): string {
  const shown = blockText(item);
  if (shown !== undefined) return shown;
  const title = nonEmpty(field(item, 'title'));
  const url = nonEmpty(field(item, 'url'));
  if (url !== undefined) return title === undefined ? url : `${title}: ${url}`;
  return isShallow(item) ? JSON.stringify(withoutBulk(item)) : tooDeep;
}

/** `value` with base64 data replaced by its size: the raw output has the data. A copy only where there is some. */
function withoutBulk(value: unknown): unknown {
  return hasBulk(value) ? replacingBulk(value) : value;
}

function isBulk(key: string, item: unknown, owner: JsonObject): item is string {
  if (typeof item !== 'string') return false;
  return key === 'base64' || (key === 'data' && ('media_type' in owner || 'mimeType' in owner));
}

function hasBulk(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasBulk);
  if (!isObject(value)) return false;
  for (const key in value) {
    const item = value[key];
    if (isBulk(key, item, value) || (typeof item === 'object' && hasBulk(item))) return true;
  }
  return false;
}

function replacingBulk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replacingBulk);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isBulk(key, item, value) ? `(${bytesText(base64Bytes(item))})` : replacingBulk(item),
    ]),
  );
}

/** `tool_use_result` as an entry keeps it: without base64 data and without what stands in the entry already. */
export function resultData(detail: unknown, shown: string): unknown {
  if (detail === undefined || detail === null) return undefined;
  if (typeof detail === 'string') return detail === shown || detail === `Error: ${shown}` ? undefined : detail;
  if (!isShallow(detail)) return tooDeep;
  if (!isObject(detail)) return withoutBulk(detail);
  const rest = without(detail, elsewhere);
  const file = rest['file'];
  if (isObject(file) && typeof file['content'] === 'string') rest['file'] = without(file, shownContent);
  return withoutBulk(rest);
}

/** In the result's text, in the action or, the original file, in the raw output only. */
const elsewhere = new Set(['originalFile', 'stdout', 'stderr', 'oldString', 'newString', 'prompt']);
const shownContent = new Set(['content']);

function without(value: JsonObject, keys: ReadonlySet<string>): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const key in value) if (!keys.has(key) && key !== '__proto__') rest[key] = value[key];
  return rest;
}

/**
 * Citations of a text block. The API cites for the block as a whole, so the range is the whole block: `start_index` and
 * `end_index` count Unicode code points.
 */
export function citations(value: unknown, shown: string): Citation[] {
  const end = codePoints(shown);
  return objects(value).map((citation) => ({
    kind: 'citation',
    start_index: 0,
    end_index: end,
    url: nonEmpty(citation['url']) ?? nonEmpty(citation['source']) ?? null,
    title: nonEmpty(citation['title']) ?? nonEmpty(citation['document_title']) ?? null,
    description: nonEmpty(citation['cited_text']) ?? null,
  }));
}

function codePoints(shown: string): number {
  let length = shown.length;
  for (const pair of shown.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)) length -= pair[0].length - 1;
  return length;
}
