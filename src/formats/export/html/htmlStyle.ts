/** Style of an exported page, light or dark according to the system. */
export const style = `
:root { color-scheme: light dark; --fg: light-dark(#1f2328, #d7dae0); --soft: light-dark(#59636e, #9aa4b2);
  --line: light-dark(#d1d9e0, #3b424c); --box: light-dark(#f6f8fa, #1c2128); --bg: light-dark(#ffffff, #14171c);
  --accent: light-dark(#0969da, #6cb6ff); --bad: light-dark(#b3261e, #ff8f88); --good: light-dark(#1a7f37, #6fd07f); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 60rem; background: var(--bg); color: var(--fg);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.05rem; margin: 2.5rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h2 small, .soft, .to, summary small { color: var(--soft); font-weight: normal; font-size: .85em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
article { margin: 1rem 0; } article > header { font-size: .8rem; color: var(--soft); margin-bottom: .2rem; }
.user { border-left: 3px solid var(--accent); padding: .2rem 0 .2rem 1rem; white-space: pre-wrap; }
.nested { margin-left: 1.5rem; padding-left: 1rem; border-left: 1px dashed var(--line); }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem; background: var(--box); }
summary { cursor: pointer; } summary:focus-visible, pre:focus-visible, a:focus-visible { outline: 2px solid var(--accent); }
.failed { color: var(--bad); } .error { border-left: 3px solid var(--bad); padding-left: 1rem; }
pre { margin: .6rem 0; padding: .7rem .9rem; overflow: auto; max-height: 40rem; background: var(--box);
  border: 1px solid var(--line); border-radius: 6px; font: .85rem/1.45 ui-monospace, monospace; white-space: pre-wrap; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
ins { text-decoration: none; color: var(--good); } del { text-decoration: none; color: var(--bad); }
h4, h5, h6 { font-size: 1em; font-weight: 600; margin: 1em 0; } blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid var(--line); }
table { border-collapse: collapse; display: block; overflow: auto; } th, td { border: 1px solid var(--line); padding: .3rem .6rem; }
a { color: var(--accent); } ol.sources { font-size: .9rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); padding-top: 1rem; }
@media print { body { max-width: none; } pre { max-height: none; } details { break-inside: avoid; } }
`;
