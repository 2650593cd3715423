import { isObject, type JsonObject } from '../../model/text/json.ts';
import { bytesText, isShallow, tooDeep } from './bounds.ts';
import { field, nonEmpty, text } from './guards.ts';

/** Number of bytes that a base64 text encodes. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** Placeholder for an image or document in a text: its type and size, or its URL. */
function attachmentPlaceholder(block: JsonObject): string | undefined {
  if (block['type'] !== 'image' && block['type'] !== 'document') return undefined;
  const source = block['source'];
  const data = text(field(source, 'data')) ?? text(block['data']);
  const type = nonEmpty(field(source, 'media_type')) ?? nonEmpty(block['mimeType']);
  const url = nonEmpty(field(source, 'url'));
  const size = data === undefined ? url : bytesText(base64Bytes(data));
  return `[${[block['type'], [type, size].filter((part) => part !== undefined).join(', ')].join(' ').trim()}]`;
}

/** A content block as text for people; `undefined` for an unknown kind. */
export function blockText(block: unknown): string | undefined {
  if (typeof block === 'string') return block;
  if (!isObject(block)) return undefined;
  if (block['type'] === 'text') return text(block['text']);
  if (block['type'] === 'tool_reference') return `[tool ${nonEmpty(block['tool_name']) ?? '?'}]`;
  return attachmentPlaceholder(block);
}

/** A tool result as text: from a text, a list of blocks, or an object of an API tool. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) return resultItemText(content);
  return content.map(resultItemText).join('\n');
}

/** A text from a text, an object that has one, or a list of these; another object as JSON. `undefined`: nothing. */
export function textOfBlocks(content: unknown, between = ''): string | undefined {
  if (content === undefined || content === null) return undefined;
  if (!Array.isArray(content)) return itemText(content);
  return content.length === 0 ? undefined : content.map(itemText).join(between);
}

/** Why something failed: from a text, or an object with a message. `undefined`: unknown. */
export function errorReason(error: unknown): string | undefined {
  if (!isObject(error)) return nonEmpty(textOfBlocks(error));
  if ('message' in error) return nonEmpty(textOfBlocks(error['message']));
  return Object.keys(error).length === 0 ? undefined : textOfBlocks(error);
}

function itemText(item: unknown): string {
  return text(field(item, 'text')) ?? resultItemText(item);
}

function resultItemText(item: unknown): string {
  const shown = blockText(item);
  if (shown !== undefined) return shown;
  const title = nonEmpty(field(item, 'title'));
  const url = nonEmpty(field(item, 'url'));
  if (url !== undefined) return title === undefined ? url : `${title}: ${url}`;
  return isShallow(item) ? JSON.stringify(withoutBulk(item)) : tooDeep;
}

/** `value` with base64 data replaced by its size, because the raw output has the data. Copies only if necessary. */
export function withoutBulk(value: unknown): unknown {
  return hasBulk(value) ? replaceBulk(value) : value;
}

function isBulk(key: string, item: unknown, owner: JsonObject): item is string {
  if (typeof item !== 'string') return false;
  return key === 'base64' || (key === 'data' && ('media_type' in owner || 'mimeType' in owner));
}

function hasBulk(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasBulk);
  if (!isObject(value)) return false;
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (isBulk(key, item, value) || (typeof item === 'object' && hasBulk(item))) return true;
  }
  return false;
}

function replaceBulk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaceBulk);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isBulk(key, item, value) ? `(${bytesText(base64Bytes(item))})` : replaceBulk(item),
    ]),
  );
}
