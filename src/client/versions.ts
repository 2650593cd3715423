/** Whether a version `1.2.3` is newer than another. */
export function isNewer(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [at, part] of (a ?? []).entries()) {
    const other = b?.[at] ?? 0;
    if (part !== other) return part > other;
  }
  return false;
}
