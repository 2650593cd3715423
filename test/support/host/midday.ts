/** A time zone in which it is about noon: what a test calls today stays so while it runs, and began hours ago. */
export function middayZone(now = new Date()): string {
  const ahead = 12 - now.getUTCHours();
  // Such names count westwards.
  return ahead >= 0 ? `Etc/GMT-${ahead}` : `Etc/GMT+${-ahead}`;
}
