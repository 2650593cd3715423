/**
 * One line that reads and searches well: what happened, then `name=value`. Goes to a log that people attach to reports,
 * so it takes ids, counts and times; never a prompt, an answer or a variable's value.
 */
export function logLine(
  what: string,
  fields: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name}=${typeof value === 'string' && /[\s=]/.test(value) ? JSON.stringify(value) : String(value)}`],
  );
  return [what, ...pairs].join(' ');
}
