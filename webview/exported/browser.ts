/** Opens web addresses in a new tab that knows nothing of this page. */
export function openLink(url: string): void {
  if (/^https?:/i.test(url)) window.open(url, '_blank', 'noopener,noreferrer');
}

/** Some browsers have no clipboard for local files: there, the reader copies from a dialog. */
export function copyText(text: string): void {
  const ask = (): void => void window.prompt('Copy this text:', text);
  if ('clipboard' in navigator) navigator.clipboard.writeText(text).catch(ask);
  else ask();
}
