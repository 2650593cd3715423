/**
 * Formats a log line: event, then `name=value`. Users attach logs to reports, so pass ids, counts and times only, never
 * prompts, answers or values of variables.
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
