import { isObject } from '../model/text/json.ts';
import { syntheticSchema } from '../model/transcript/metadata.ts';

/**
 * Removes marks of a trigger that have a wrong type (such as `"true"`) from an entry's metadata or a run, so that they
 * do not invalidate the whole line. Returns their names; `null` if all are valid.
 */
export function removeMistyped(line: unknown): { readonly line: object; readonly names: readonly string[] } | null {
  if (!isObject(line)) return null;
  if (line['kind'] === 'run' && isObject(line['run'])) {
    const { rest, names } = removeMistypedFields(line['run']);
    return names.length === 0 ? null : { line: { ...line, run: rest }, names };
  }
  if (line['kind'] !== 'entry' || !isObject(line['entry']) || !isObject(line['entry']['metadata'])) return null;
  const { rest, names } = removeMistypedFields(line['entry']['metadata']);
  return names.length === 0 ? null : { line: { ...line, entry: { ...line['entry'], metadata: rest } }, names };
}

function removeMistypedFields(fields: object): { readonly rest: object; readonly names: readonly string[] } {
  const shape = new Map(Object.entries(syntheticSchema.shape));
  const isWrong = ([name, value]: [string, unknown]): boolean => shape.get(name)?.safeParse(value).success === false;
  const entries: [string, unknown][] = Object.entries(fields);
  const names = entries.filter(isWrong).map(([name]) => name);
  return { rest: Object.fromEntries(entries.filter(([name]) => !names.includes(name))), names };
}
