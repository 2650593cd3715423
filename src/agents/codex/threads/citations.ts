import { codePoints } from '../../../model/text/codePoints.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { Citation } from '../../../model/transcript/metadata.ts';
import { count, list, nonEmpty, objects } from '../../shared/guards.ts';
import { textOfBlocks } from '../../shared/resultText.ts';

/** Sources that a message or its content blocks name; no measured version prints them. */
export function citations(fields: JsonObject): Citation[] {
  const own = objects(fields['annotations']).flatMap((annotation) =>
    citation(annotation, { start: null, end: null, base: 0 }),
  );
  return [...own, ...citationsInBlocks(fields)];
}

interface Place {
  /** Used if there is no range. */
  readonly start: number | null;
  readonly end: number | null;
  /** Origin and limit of ranges, in code points of the message. */
  readonly base: number;
  readonly limit?: number;
}

/** Blocks are joined to the text of the message, and their ranges move with them. */
function citationsInBlocks(fields: JsonObject): Citation[] {
  if (fields['text'] !== undefined && fields['text'] !== null) return [];
  let base = 0;
  return list(fields['content']).flatMap((block) => {
    const start = base;
    base += codePoints(textOfBlocks([block]) ?? '');
    const place = { start, end: base, base: start, limit: base };
    return isObject(block) ? objects(block['annotations']).flatMap((annotation) => citation(annotation, place)) : [];
  });
}

/** An impossible range (such as an index below 0) becomes empty: no words are attributed to the source. */
function citation(annotation: JsonObject, place: Place): Citation[] {
  // Some model APIs put the fields under the name of the type.
  const nested = annotation['url_citation'] ?? annotation['file_citation'];
  const fields = isObject(nested) ? nested : annotation;
  const url = nonEmpty(fields['url']) ?? null;
  const title = nonEmpty(fields['title']) ?? nonEmpty(fields['filename']) ?? null;
  if (url === null && title === null) return [];
  return [{ kind: 'citation', ...rangeOf(fields, place), url, title }];
}

function rangeOf(fields: JsonObject, place: Place): Pick<Citation, 'start_index' | 'end_index'> {
  const { base, limit = Infinity } = place;
  const { start_index: from, end_index: to } = fields;
  const isGiven = (index: unknown): boolean => index !== undefined && index !== null;
  if (!isGiven(from) && !isGiven(to)) return { start_index: place.start, end_index: place.end };
  const start = isGiven(from) ? base + (count(from) ?? NaN) : place.start;
  const end = isGiven(to) ? Math.min(base + (count(to) ?? NaN), limit) : place.end;
  const isRange = (start ?? base) < (end ?? limit);
  return isRange ? { start_index: start, end_index: end } : { start_index: 0, end_index: 0 };
}
