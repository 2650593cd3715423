import { isMap, isNode, isScalar, parse, parseDocument, type Document, type Pair, type YAMLMap } from 'yaml';

/**
 * Sets fields in the text of an agent file (YAML or JSON) and changes nothing else: comments, quotes and field order
 * stay. With `onlyExisting`, sets existing fields only. `undefined` if the file's style is too complex to edit
 * automatically.
 */
export function editBlueprint(
  text: string,
  fields: Readonly<Record<string, string>>,
  { onlyExisting = false }: { readonly onlyExisting?: boolean } = {},
): string | undefined {
  let edited: string | undefined = text;
  for (const [key, value] of Object.entries(fields)) {
    if (edited !== undefined) edited = editField(edited, key, value, onlyExisting);
  }
  return edited;
}

function editField(text: string, key: string, value: string, onlyExisting: boolean): string | undefined {
  const document = parseDocument(text);
  const map = document.contents;
  if (document.errors.length > 0 || !isMap(map)) return undefined;
  const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key);
  if (pair === undefined && onlyExisting) return text;
  const edited = pair === undefined ? added(text, map, key, value) : replaceValue(text, pair, value);
  return edited !== undefined && hasValue(edited, document, key, value) ? edited : undefined;
}

function replaceValue(text: string, { value: node }: Pair, value: string): string | undefined {
  if (!isScalar(node) || node.range === undefined || node.range === null) return undefined;
  const [from, to] = node.range;
  // Some words have another meaning without quotes.
  const quote = /^["']/.exec(text.slice(from, to))?.[0] ?? (parse(value) === value ? '' : '"');
  return text.slice(0, from) + quote + value + quote + text.slice(to);
}

/** Appends a field in the style of the previous one. */
function added(text: string, map: YAMLMap, key: string, value: string): string | undefined {
  const [start, mapEnd] = map.range ?? [0, 0];
  const last = map.items.at(-1);
  if (map.flow === true) {
    const field = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    if (last === undefined) return `${text.slice(0, start + 1)}${field}${text.slice(mapEnd - 1)}`;
    const end = rangeOf(last.value)?.[1];
    const first = rangeOf(map.items[0]?.key)?.[0];
    if (end === undefined || first === undefined) return undefined;
    const gap = /\s*$/.exec(text.slice(start + 1, first))?.[0] ?? '';
    return `${text.slice(0, end)},${gap === '' ? ' ' : gap}${field}${text.slice(end)}`;
  }
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = text.slice(text.lastIndexOf('\n', start) + 1, start);
  return `${text}${/\n$/.test(text) ? '' : eol}${indent}${key}: ${value}${eol}`;
}

function rangeOf(node: unknown): readonly [number, number] | undefined {
  if (!isNode(node) || node.range === undefined || node.range === null) return undefined;
  const [from, to] = node.range;
  return [from, to];
}

/** Whether the text has the document's content with this one field set. */
function hasValue(text: string, document: Document, key: string, value: string): boolean {
  const after = parseDocument(text);
  if (after.errors.length > 0) return false;
  try {
    const before: unknown = document.toJS({ maxAliasCount: 100 });
    const wanted = { ...(typeof before === 'object' ? before : {}), [key]: value };
    return JSON.stringify(after.toJS({ maxAliasCount: 100 })) === JSON.stringify(wanted);
  } catch {
    return false;
  }
}
