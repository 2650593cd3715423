/** A time zone in which it is about noon, so that a test's "today" neither ends during the test nor has just begun. */
export function middayZone(now = new Date()): string {
  const ahead = 12 - now.getUTCHours();
  // The sign of these names is reversed: they count westwards.
  return ahead >= 0 ? `Etc/GMT-${ahead}` : `Etc/GMT+${-ahead}`;
}
