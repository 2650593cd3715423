/** Whether `version` is `first` or later; `null` if unknown. */
export function isVersionSince(version: string | null, first: string): boolean | null {
  const parts = numbers(version ?? '');
  const least = numbers(first);
  if (parts === null || least === null) return null;
  const at = parts.findIndex((part, index) => part !== least[index]);
  return at === -1 || (parts[at] ?? 0) > (least[at] ?? 0);
}

/** As `isVersionSince`, but an unknown version counts as the newest. */
export function isAtLeastOrUnknown(version: string | null, minimum: string): boolean {
  return isVersionSince(version, minimum) ?? true;
}

function numbers(version: string): readonly number[] | null {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null ? null : match.slice(1).map(Number);
}
