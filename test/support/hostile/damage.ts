import fc from 'fast-check';

/** Paths of all values in a JSON value. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((item, at) => places(item, [...path, at]))
    : Object.entries(value).flatMap(([key, item]) => places(item, [...path, key]));
  return [path, ...inner];
}

function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((item: unknown, at) => (at === key ? replaced(item, rest, by) : item));
  if (typeof value !== 'object' || value === null) return by;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]: [string, unknown]) => {
      if (name !== key) return [[name, item]];
      const changed = replaced(item, rest, by);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}

/** One change to the lines of a run. */
export const mutation = fc.oneof(
  fc.record({ kind: fc.constant('value' as const), at: fc.nat(), place: fc.nat(), by: fc.jsonValue() }),
  fc.record({ kind: fc.constant('missing' as const), at: fc.nat(), place: fc.nat() }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant('again' as const), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant('moved' as const), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant('lost' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('noise' as const), at: fc.nat(), text: fc.string() }),
);
export type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** The lines after the change. */
export function mutateLines(lines: readonly string[], change: Mutation): string[] {
  if (lines.length === 0) return [];
  const at = change.at % lines.length;
  const line = lines[at]!;
  const rest = lines.filter((_, other) => other !== at);
  switch (change.kind) {
    case 'value':
    case 'missing': {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return [...lines];
      }
      const all = places(value);
      const by = change.kind === 'value' ? change.by : undefined;
      const changed = replaced(value, all[change.place % all.length]!, by);
      return lines.map((other, index) =>
        index === at ? (changed === undefined ? '' : JSON.stringify(changed)) : other,
      );
    }
    case 'cut':
      return lines.map((other, index) => (index === at ? other.slice(0, change.to % (other.length + 1)) : other));
    case 'again':
      return lines.toSpliced(change.to % (lines.length + 1), 0, line);
    case 'moved':
      return rest.toSpliced(change.to % (rest.length + 1), 0, line);
    case 'lost':
      return rest;
    case 'noise':
      return lines.toSpliced(at, 0, change.text);
  }
}
