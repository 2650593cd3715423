/** Per output; the rest is ignored. */
const longest = 32 * 1024;
const maxUrls = 100;

const address = /https?:\/\/[^\s<>"'`\]}|\\^]+/gi;

export function urlsIn(text: string): string[] {
  const urls = new Set<string>();
  for (const [shown] of text.slice(0, longest).matchAll(address)) {
    urls.add(wholeUrl(shown));
    if (urls.size >= maxUrls) break;
  }
  return [...urls];
}

/** A URL in a text, without trailing punctuation or surrounding brackets. */
export function wholeUrl(content: string): string {
  let depth = 0;
  let end = 0;
  for (; end < content.length; end += 1) {
    const char = content[end];
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    if (depth < 0) break;
  }
  return content.slice(0, end).replace(/[.,;:!?*_~(]{1,50}$/, '');
}

const parts = /^(https?):\/\/([^/?#]*)([^#]*)/i;

/** A comparable form of a URL: without scheme, port, fragment and final slash, with the host in lower case. */
export function normalUrl(url: string): string {
  const [, scheme, host = '', rest = ''] = parts.exec(url.trim()) ?? [];
  if (scheme === undefined) return url;
  const port = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/;
  const plain = host
    .toLowerCase()
    .replace(port, '')
    .replace(/^www\./, '');
  return `https://${plain}${decoded(withoutSlashes(rest))}`;
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** Decodes characters that need no encoding; a percent sign that encodes nothing stays. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
