/**
 * Characters that change how a text reads without being seen: bidirectional controls, zero-width characters, fillers, C0 and
 * C1 controls but tab and line feed, line separators, tag characters.
 */
export const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** `U+202E`. */
export function unseenName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
