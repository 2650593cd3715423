/** Number of characters in all strings of a value: an estimate of the memory that it takes. */
export function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member: unknown) => sum + charactersOf(member), 0);
}
