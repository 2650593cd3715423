import { codePoints } from '../../../model/text/codePoints.ts';
import type { Citation } from '../../../model/transcript/metadata.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import { isShallow, tooDeep } from '../../shared/bounds.ts';
import { nonEmpty, objects } from '../../shared/guards.ts';
import { withoutBulk } from '../../shared/resultText.ts';

/** `tool_use_result` as an entry keeps it: without base64 data and without what the entry already has. */
export function resultData(detail: unknown, content: string): unknown {
  if (detail === undefined || detail === null) return undefined;
  if (typeof detail === 'string') return detail === content || detail === `Error: ${content}` ? undefined : detail;
  if (!isShallow(detail)) return tooDeep;
  if (!isObject(detail)) return withoutBulk(detail);
  const rest = omitKeys(detail, shownByAction);
  const file = rest['file'];
  if (isObject(file) && typeof file['content'] === 'string') rest['file'] = omitKeys(file, shownContent);
  return withoutBulk(rest);
}

/** Keys to omit: the result's text or the action has them; only the raw output has the original file. */
const shownByAction = new Set(['originalFile', 'stdout', 'stderr', 'oldString', 'newString', 'prompt']);
const shownContent = new Set(['content']);

function omitKeys(value: JsonObject, keys: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key) && key !== '__proto__'));
}

/**
 * Citations of a text block. The API cites for the whole block, so that is the range: `start_index` and `end_index` count
 * Unicode code points.
 */
export function citations(value: unknown, content: string): Citation[] {
  const end = codePoints(content);
  return objects(value).map((citation) => ({
    kind: 'citation',
    start_index: 0,
    end_index: end,
    url: nonEmpty(citation['url']) ?? nonEmpty(citation['source']) ?? null,
    title: nonEmpty(citation['title']) ?? nonEmpty(citation['document_title']) ?? null,
    description: nonEmpty(citation['cited_text']) ?? null,
  }));
}
