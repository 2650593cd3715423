const driveRoot = /^[a-z]:[\\/]/i;
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com\d|lpt\d)$/i;

/**
 * Whether a path names another host, a device, a drive's current folder or, on Windows, an alternate stream. Accessing
 * `\\host\share` sends the user's credentials to that host on Windows. Such paths are refused on every system, because
 * a record may be opened on another one.
 */
export function isUnsafePath(path: string, isWindows = false): boolean {
  // Some programs treat full-width slashes and superscript digits like the ordinary characters.
  const text = path.normalize('NFKC').trim();
  if (text.includes('\0') || /^[\\/](?:[\\/]|\?\?)/.test(text)) return true;
  if (/^[a-z]:/i.test(text) && !driveRoot.test(text)) return true;
  const rest = driveRoot.test(text) ? text.slice(2) : text;
  if (/^[\\/]{2}/.test(rest) || (isWindows && rest.includes(':'))) return true;
  return rest.split(/[\\/]/).some((segment) => isUnsafeSegment(segment, isWindows));
}

function isUnsafeSegment(segment: string, isWindows: boolean): boolean {
  const name = segment.replace(/[. :]+$/, '');
  // `.. ` is `..` to some Windows calls, and a name to others.
  if (isWindows && name === '' && /^(?:\.{3,}|.* .*)$/.test(segment)) return true;
  return device.test(isWindows ? (name.split('.')[0] ?? '').trimEnd() : name);
}
