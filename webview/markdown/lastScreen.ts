/** Characters that more than fill a screen. */
const screenful = 6 * 1024;
const fenceLine = /^ {0,3}(`{3,}|~{3,})[^\n]*$/gm;

export function isLongerThanScreen(text: string): boolean {
  return text.length > 2 * screenful;
}

/**
 * The last screenful of a long Markdown text, drawn before the whole text is parsed. It starts at a block or a line if
 * possible. If that place is inside a code block, the result is a code block, too.
 */
export function lastScreen(text: string): string {
  const at = startOfEnd(text);
  return `${openFence(text.slice(0, at))}${text.slice(at)}`;
}

function startOfEnd(text: string): number {
  const from = text.length - screenful;
  for (const separator of ['\n\n', '\n', ' ']) {
    const found = text.indexOf(separator, from);
    if (found !== -1 && found < from + screenful / 2) return found + separator.length;
  }
  return /[\udc00-\udfff]/.test(text.charAt(from)) ? from + 1 : from;
}

/** The line that opens the block of code in which `text` ends. */
function openFence(text: string): string {
  let open = '';
  let line = '';
  for (const [whole, marker = ''] of text.matchAll(fenceLine)) {
    if (open === '') [open, line] = [marker, whole];
    else if (marker.startsWith(open) && whole.trim() === marker) [open, line] = ['', ''];
  }
  return line === '' ? '' : `${line}\n`;
}
