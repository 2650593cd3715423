import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../../support/host/install/cache.mjs';

/** Ways to turn a text into markup, script or style, or to load something; the page has use for none of them. */
const forbidden: readonly RegExp[] = [
  /\b(?:inner|outer)HTML\b/,
  /insertAdjacentHTML|createContextualFragment|DOMParser|document\.write/,
  /unsafeHTML|unsafeSVG|unsafeMathML|unsafeCSS|unsafeStatic|static-html|setHTML/,
  /\bstyle=|setAttribute\('style'|styleMap|cssText/,
  /\beval\(|new Function\b|srcdoc/,
  /<(?:img|iframe|object|embed|video|audio|link|script)\b/,
  /\bhref=(?!"#)|\bsrc=|\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|new Image\b/,
];

describe('sources of the page', () => {
  const folder = path.join(repository, 'webview');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

  it('create no markup from text, no inline styles, and no requests', () => {
    assert.ok(files.length > 30);
    for (const name of files) {
      const text = readFileSync(path.join(folder, name), 'utf8');
      for (const pattern of forbidden) assert.doesNotMatch(text, pattern, `${name}: ${pattern.source}`);
    }
  });

  it('load nothing from styles: URLs may only refer to elements of the page', () => {
    const styles = path.join(folder, 'styles');
    for (const name of readdirSync(styles, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.css'),
    ))
      assert.doesNotMatch(readFileSync(path.join(styles, name), 'utf8'), /url\((?!'#)/, name);
  });
});
