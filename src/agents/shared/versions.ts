/** A version as numbers: `"2.1.328"` is `[2, 1, 328]`; `null` where it is not one. */
export function versionParts(version: string): readonly [number, number, number] | null {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** Whether `version` is `minimum` or later. One that nobody knows is taken for the newest. */
export function atLeast(version: string | null, minimum: string): boolean {
  const parts = version === null ? null : versionParts(version);
  const least = versionParts(minimum);
  if (parts === null || least === null) return true;
  for (const [at, part] of parts.entries()) {
    const other = least[at] ?? 0;
    if (part !== other) return part > other;
  }
  return true;
}
