import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import type * as z from 'zod';
import { agentFileSchema, type AgentFile } from '../../model/agent/agent.ts';
import { isObject } from '../../model/text/json.ts';
import { placeholderProblems } from './placeholders.ts';
import type { BlueprintProblem, TextPlace } from './problem.ts';

/** Maximum characters of an agent file; longer prompts need a file of their own. */
const maxLength = 256 << 10;
/** Maximum number of reported problems. */
const maxProblems = 50;

export interface ParsedBlueprint {
  /** `null` if an error prevents starting the agent. */
  readonly value: AgentFile | null;
  readonly problems: readonly BlueprintProblem[];
}

type Path = readonly PropertyKey[];

/** Parses YAML or JSON. `json`: accept JSON only, because of the file's extension. */
export function parseBlueprint(text: string, { json = false }: { readonly json?: boolean } = {}): ParsedBlueprint {
  const lines = new LineCounter();
  const problems: BlueprintProblem[] = [];
  const placeOf = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(0, line - 1), character: Math.max(0, col - 1) };
  };
  const add = (
    severity: BlueprintProblem['severity'],
    message: string,
    [from, to]: readonly [number, number],
  ): void => {
    if (problems.length < maxProblems) problems.push({ severity, message, from: placeOf(from), to: placeOf(to) });
  };
  if (text.length > maxLength) {
    add('error', `The file is longer than ${maxLength >> 10} KB. Put a long system prompt into prompt.md.`, [0, 0]);
    return { value: null, problems };
  }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  for (const { message, pos } of document.errors) add('error', `${message}.`.replace(/\.\.$/, '.'), pos);
  if (document.errors.length > 0) return { value: null, problems };
  if (json && !isJson(text)) {
    add('error', 'This is YAML, not JSON. Correct it, or rename the file to end in .yaml.', [0, 0]);
    return { value: null, problems };
  }
  const content = plainValue(document);
  if (!isObject(content)) {
    add('error', 'An agent is an object with fields such as "description" and "system_prompt".', [0, text.length]);
    return { value: null, problems };
  }
  const first = agentFileSchema.safeParse(content);
  const unknown = first.success ? [] : first.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  for (const issue of unknown) {
    for (const key of issue.keys) {
      const range = rangeOf(document, [...issue.path, key], true);
      add('warning', `${fieldName([...issue.path, key])} is not a field of an agent file. It has no effect.`, range);
    }
  }
  const parsed = unknown.length === 0 ? first : agentFileSchema.safeParse(removeUnknownKeys(content, unknown));
  if (!parsed.success) {
    for (const issue of parsed.error.issues) add('error', textOf(issue), rangeOf(document, issue.path));
    return { value: null, problems };
  }
  for (const { path, message } of placeholderProblems(parsed.data.mcp_servers)) {
    add('warning', message, rangeOf(document, ['mcp_servers', ...path]));
  }
  return { value: parsed.data, problems };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Limits aliases, which could expand to huge values. */
function plainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

/** Position of the value at a path, or of its nearest ancestor; with `key`, of the key. */
function rangeOf(document: Document, path: Path, key = false): readonly [number, number] {
  for (let length = path.length; length >= 0; length -= 1) {
    const at = path.slice(0, length);
    const node = length === 0 ? document.contents : document.getIn(at, true);
    const range = isNode(node) ? node.range : undefined;
    if (range === undefined || range === null) continue;
    const [from, to] = range;
    if (length < path.length) return [from, Math.min(to, from + 1)];
    return key ? keyRange(document, path) : [from, to];
  }
  return [0, 0];
}

function keyRange(document: Document, path: Path): readonly [number, number] {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pairs = isMap(parent) ? parent.items : [];
  for (const { key } of pairs) {
    if (!isScalar(key) || String(key.value) !== String(path.at(-1))) continue;
    const [from = 0, to = 0] = key.range ?? [];
    return [from, to];
  }
  return [0, 0];
}

/** A copy without unknown keys. */
function removeUnknownKeys(content: unknown, issues: readonly z.core.$ZodIssueUnrecognizedKeys[]): unknown {
  return issues.reduce((copy, { path, keys }) => withoutKeys(copy, path, keys), content);
}

function withoutKeys(value: unknown, [step, ...rest]: Path, keys: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const saved = Object.entries(value).filter(([key]) => step !== undefined || !keys.includes(key));
  return Object.fromEntries(
    saved.map(([key, member]) => [key, key === step ? withoutKeys(member, rest, keys) : member]),
  );
}

const fieldName = (path: Path): string => `"${path.map(String).join('.')}"`;

/** Message for a schema problem, with the field and what to write. */
function textOf(issue: z.core.$ZodIssue): string {
  const field = issue.path.length === 0 ? 'The file' : fieldName(issue.path);
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? `${field} is missing. Add it: ${article(issue.expected)}.`
        : `${field} must be ${article(issue.expected)}.`;
    case 'invalid_value':
      return `${field} must be one of: ${issue.values.map(String).join(', ')}.`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `${field} must be one of: ${issue.options.map(String).join(', ')}.`
        : `${field}: ${issue.message}`;
    case 'too_small':
      if (issue.origin === 'string') return `${field} must not be empty.`;
      return `${field} must be ${issue.inclusive === true ? 'at least' : 'more than'} ${String(issue.minimum)}.`;
    default:
      return `${field}: ${issue.message}`;
  }
}

const articles: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  record: 'an object with names and values',
  object: 'an object',
  int: 'a whole number',
  number: 'a number',
};
const article = (expected: string): string => articles[expected] ?? expected;
