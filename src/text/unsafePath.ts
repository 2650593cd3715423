const driveRoot = /^[a-z]:[\\/]/i;
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com\d|lpt\d)$/i;

/**
 * Whether a path names another host, a device, the current folder of a drive or, on Windows, a stream of a file. Looking at
 * `\\host\share` sends a user's credentials to that host on Windows; such paths are refused on every system, because a
 * record may come from one system and be opened on another.
 */
export function isUnsafePath(path: string, isWindows = false): boolean {
  // Full-width slashes and superscript digits are what they look like to some programs.
  const text = path.normalize('NFKC').trim();
  if (text.includes('\0') || /^[\\/](?:[\\/]|\?\?)/.test(text)) return true;
  if (/^[a-z]:/i.test(text) && !driveRoot.test(text)) return true;
  const rest = driveRoot.test(text) ? text.slice(2) : text;
  if (/^[\\/]{2}/.test(rest) || (isWindows && rest.includes(':'))) return true;
  return rest.split(/[\\/]/).some((segment) => isUnsafeSegment(segment, isWindows));
}

function isUnsafeSegment(segment: string, isWindows: boolean): boolean {
  const name = segment.replace(/[. :]+$/, '');
  // `.. ` is `..` to some calls of Windows and a name to others.
  if (isWindows && name === '' && /^(?:\.{3,}|.* .*)$/.test(segment)) return true;
  return device.test(isWindows ? (name.split('.')[0] ?? '').trimEnd() : name);
}
