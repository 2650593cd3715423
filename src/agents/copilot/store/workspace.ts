/** `workspace.yaml`: keys with plain or quoted texts, one per line. Anything else is ignored. */
export function workspaceFields(yaml: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of yaml.split('\n')) {
    const [, key, value] = /^([a-z_]+):[ \t]+(\S.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) fields.set(key, unquote(value));
  }
  return fields;
}

function unquote(value: string): string {
  if (value.startsWith("'") && value.endsWith("'") && value.length > 1) return value.slice(1, -1).replaceAll("''", "'");
  if (!value.startsWith('"')) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'string' ? parsed : value;
  } catch {
    return value;
  }
}
