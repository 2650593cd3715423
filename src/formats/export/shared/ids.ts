/** A UUID (version 8: custom) from the hexadecimal digits of a hash. */
export function uuidOf(hash: string): string {
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
