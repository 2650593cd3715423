import { hash } from 'node:crypto';
import { parseRecordLine } from '../../formats/record.ts';
import type { Redactor } from '../../formats/redaction/redactor.ts';
import { isObject } from '../../model/text/json.ts';

/** `prev` of the first line of a record. */
export const firstHead = '0'.repeat(64);

/** A line for the team's copy, and its hash. */
export interface SealedLine {
  readonly line: string;
  readonly hash: string;
}

/**
 * A line of a record with its secrets masked and without `prev`, as JSON. `null`: the line is damaged and has no
 * object. The same line and key give the same text.
 */
export function maskLine(text: string, redactor: Redactor): string | null {
  const value = parseJson(text);
  if (!isObject(value)) return null;
  const fields = omitKey(value, 'prev');
  if (fields['kind'] === 'entry') {
    const parsed = parseRecordLine(text).value;
    if (parsed?.kind === 'entry') return JSON.stringify({ ...fields, entry: redactor.entry(parsed.entry) });
  }
  return JSON.stringify(redactor.redactJson(withoutMaskKey(fields), { path: [String(fields['kind'])] }));
}

/** With the mask key of an export, members could test guesses of the masked secrets. */
function withoutMaskKey(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { decision } = fields;
  if (!isObject(decision) || !('key' in decision)) return fields;
  return { ...fields, decision: omitKey(decision, 'key') };
}

function omitKey(value: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** `json` is an object; its new last key names the hash of the line before it. */
export function sealLine(json: string, head: string): SealedLine {
  const line = `${json.slice(0, -1)},"prev":"${head}"}`;
  return { line, hash: hash('sha256', line, 'hex') };
}

/** Why a line from the database does not follow; `null` if it does. */
export function lineProblem(line: string, stored: string, head: string): string | null {
  if (line.includes('\n')) return 'contains a line break';
  if (!line.endsWith(`,"prev":"${head}"}`)) return 'does not name the line before it';
  if (hash('sha256', line, 'hex') !== stored) return 'does not have the stored hash';
  return isObject(parseJson(line)) ? null : 'is not a JSON object';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
