import { visibleText } from '../../../model/text/visibleText.ts';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes untrusted text for elements and double-quoted attributes, and shows invisible characters by number. */
export function escapeHtml(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n')).replaceAll(
    /[&<>"']/g,
    (character) => escapes[character] ?? character,
  );
}

/** Text without terminal colours. */
export function codeHtml(text: string, name = ''): string {
  // Escape sequences are limited in length, which keeps this linear.
  const plain = text.replaceAll(/\u001b\[[0-9;?]{0,40}[A-Za-z]/g, '').replace(/\n$/, '');
  return `<pre tabindex="0"${name === '' ? '' : ` aria-label="${escapeHtml(name)}"`}><code>${escapeHtml(plain)}</code></pre>`;
}

/** A diff with highlighted added and removed lines. */
export function diffHtml(diff: string): string {
  const lines = diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      if (line.startsWith('+')) return `<ins>${escapeHtml(line)}</ins>`;
      return line.startsWith('-') ? `<del>${escapeHtml(line)}</del>` : escapeHtml(line);
    });
  return `<pre tabindex="0"><code>${lines.join('\n')}</code></pre>`;
}

/** Converts hexadecimal digits to Base64. */
export function base64OfHex(hex: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let text = '';
  for (let at = 0; at < hex.length; at += 6) {
    const digits = hex.slice(at, at + 6);
    const bits = Number.parseInt(digits.padEnd(6, '0'), 16);
    const characters = [18, 12, 6, 0].map((shift) => alphabet.charAt((bits >> shift) & 63));
    text += characters
      .slice(0, digits.length / 2 + 1)
      .join('')
      .padEnd(4, '=');
  }
  return text;
}
