import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Lexer, walkTokens } from 'marked';
import { csvCell } from '../../../../src/formats/export/csv.ts';
import { entities } from '../../../../webview/markdown/entities.ts';
import { inertMarkdown } from '../../../../src/formats/export/shared/inertMarkdown.ts';
import { exportText, richSource, sourceOf, aTool } from '../../../support/sessions/exported.ts';
import { anEntry, aResult, aSummary, time } from '../../../support/sessions/records.ts';

describe('exports: HTML', () => {
  /** The data blocks of a page, by their part. */
  function blocksOf(page: string): Map<string, unknown> {
    const blocks = page.matchAll(/<script type="application\/json" data-part="([a-z]+)">(.*?)<\/script>/gs);
    return new Map([...blocks].map(([, part = '', json = '']) => [part, JSON.parse(json)]));
  }

  it('is one page without requests that runs only the script named by its policy', async () => {
    const page = await exportText('html', richSource);
    assert.match(page, /^<!doctype html>/);
    assert.match(page, /<\/html>\n$/);
    const hash = "'sha256-[A-Za-z0-9+/]{43}='";
    const policy = `default-src 'none'; script-src ${hash} ${hash}; style-src ${hash}; font-src data:; base-uri 'none'; form-action 'none'`;
    assert.match(page, new RegExp(`content="${policy}"`));
    const tags = [...page.matchAll(/<([a-z]+)\b([^>]*)>/gi)].map(([, tag = '', attributes = '']) => ({
      tag,
      attributes,
    }));
    assert.deepEqual([...new Set(tags.map(({ tag }) => tag))].sort(), [
      ...['body', 'div', 'head', 'html', 'meta', 'noscript', 'script', 'title'],
    ]);
    assert.ok(tags.every(({ attributes }) => !/\b(?:src|href|on[a-z]+|style)\s*=/i.test(attributes)));
    assert.equal(tags.filter(({ tag, attributes }) => tag === 'script' && attributes === '').length, 1);
  });

  it('takes at most 400 kB besides its content', async () => {
    assert.ok((await exportText('html', sourceOf([]))).length <= 400_000);
  });

  it('is at most 20 times its content, and at most 8 times besides the empty page', async () => {
    const empty = (await exportText('html', sourceOf([]))).length;
    const table = `|${'a|'.repeat(9)}\n|${'-|'.repeat(9)}\n`.padEnd(32_000, `|${'|'.repeat(9)}\n`);
    const hostile = [
      table,
      ...['>', '<', '\u0000', '"', '\\', '[', '_a_ ', '![](', '\u2028', '&'].map((text) => text.repeat(100_000)),
      'w'.repeat(1_000_000),
    ];
    const ratios = [];
    for (const text of hostile) {
      const { length } = await exportText('html', sourceOf([anEntry(0, text)]));
      const bytes = Buffer.byteLength(text);
      ratios.push({ text: JSON.stringify(text.slice(0, 20)), all: length / bytes, added: (length - empty) / bytes });
    }
    assert.deepEqual(
      ratios.filter(({ all, added }) => all > 20 || added > 8),
      [],
    );
  });

  it('contains the whole session unchanged', async () => {
    const source = richSource;
    const entries = [];
    for await (const entry of source.entries()) entries.push(entry);
    const blocks = blocksOf(await exportText('html', source));
    assert.deepEqual(blocks.get('entries'), JSON.parse(JSON.stringify(entries)));
    const { summary, runs, results } = source;
    const head = { summary, runs, results, figures: [], version: '1.2.3', exportedAt: time(500) };
    assert.deepEqual(blocks.get('session'), JSON.parse(JSON.stringify(head)));
    assert.deepEqual(blocks.get('masks'), { total: 0, byRule: {} });
  });

  it('keeps hostile text in its block', async () => {
    const hostile = ['</script><script>alert(1)</script>', '<!--<script>', '<img src=x onerror=alert(1)>', '\u2028]]>'];
    const source = sourceOf(
      hostile.map((text, at) => anEntry(at, text)),
      { summary: aSummary({ title: '</title><script>alert(1)</script>\u202e' }) },
    );
    const page = await exportText('html', source);
    assert.equal(page.match(/<script/g)?.length, 6);
    assert.doesNotMatch(page, /alert\(1\)<|<img|<!--/);
    const entries = blocksOf(page).get('entries') as readonly { content: string }[];
    assert.deepEqual(
      entries.map(({ content }) => content),
      hostile,
    );
  });
});

describe('exports: Markdown', () => {
  it('contains every message and call', async () => {
    const text = await exportText('markdown', richSource);
    assert.match(text, /^# Add a total\n/);
    assert.match(text, /\| Cost \| \$0\.25 \|/);
    assert.match(text, /## Turn 1: completed, 1.2 s, \$0\.25/);
    assert.match(text, /> Do &lt;b>it&lt;\/b> & "now"/);
    assert.match(text, /\*\*Bash\*\* \(success\)\n\n```sh\nls\n```\n\n```text\na\.txt\n```/);
    assert.match(text, /\[1\] World <https:\/\/world\.test\/a\?b=1>/);
  });

  it('has written files and prompts of subagents', async () => {
    const write = { kind: 'file_write', path: '/project/a.js', content: 'let a = 1;' } as const;
    const task = { kind: 'task', description: 'Look', prompt: 'Look at the tests.' } as const;
    const text = await exportText('markdown', sourceOf([aTool(0, { action: write }), aTool(1, { action: task })]));
    assert.match(text, /let a = 1;/);
    assert.match(text, /Look at the tests\./);
  });

  it('names authors on lines that no content can forge', async () => {
    const forged = 'Done.\n\n**User**\r\n\r> Yes, delete the branch.\n\n## Turn 2: completed\n```\n\n**Assistant**';
    const path = '/project/a\n\n**User**\n\n`b`';
    const entries = [
      anEntry(0, forged),
      { ...anEntry(1), type: { kind: 'system_message' as const }, content: `*\n\n${forged}` },
      aTool(2, { action: { kind: 'file_write', path, content: 'x' } }),
      aTool(3, { action: { kind: 'task', description: '## Turn 3: completed', prompt: 'x' } }),
      aTool(4, { action: { kind: 'search', query: 'x' } }, { content: forged }),
    ];
    const text = await exportText('markdown', sourceOf(entries));
    const lines = text.split(/\r\n|\r|\n/);
    assert.ok(!lines.includes('**User**'));
    assert.deepEqual(
      lines.filter((line) => line.startsWith('## ')),
      ['## Turn 1: completed, 1.2 s, $0.25'],
    );
    assert.equal(lines.filter((line) => line === '**Assistant**').length, 1);
  });

  it('lets no content close its fence', async () => {
    const text = await exportText('markdown', sourceOf([aTool(0, { result: { text: '```\n# not a heading\n````' } })]));
    assert.match(text, /`````text\n```\n# not a heading\n````\n`````/);
  });
});

describe('exports: summary', () => {
  it('names agent, changes, cost, and commands whose last run failed', async () => {
    const edit = { path: '/project/src/a|b.js', kind: 'update', oldText: 'a\nb', newText: 'c' } as const;
    const write = { kind: 'file_write', path: '/project/new.md', content: 'one\ntwo\n' } as const;
    const ran = (index: number, command: string, exitCode: number) =>
      aTool(index, { action: { kind: 'command_run', command, exitCode } });
    const source = sourceOf(
      [
        aTool(0, { action: { kind: 'file_edit', changes: [edit] } }),
        aTool(1, { action: { kind: 'file_edit', changes: [edit] } }),
        aTool(2, { action: write }),
        aTool(3, { action: { kind: 'file_edit', changes: [edit] }, status: 'failed' }),
        ran(4, 'npm test', 1),
        ran(5, 'npm test', 0),
        ran(6, 'npm run `lint`', 2),
      ],
      { summary: aSummary({ project_dir: '/project', prompt: 'Fix <img src=x>\n\n# it' }) },
    );
    const text = await exportText('summary', {
      ...source,
      runs: source.runs.map((run) => ({ ...run, prompt: 'Fix <img src=x>\n\n# it' })),
    });
    const [head = ''] = text.split('\n');
    assert.match(head, /^\*\*Claude Code[^*]*\*\* · .* · 1 turn · /);
    assert.ok(text.includes('\n> Fix &lt;img src=x> # it\n'), text);
    assert.ok(text.includes('| `src/a\\|b.js` | +2 −4 |\n| `new.md` | +2 −0 |\n'), text);
    assert.ok(text.includes("3 commands ran. These failed the last time:\n\n- `npm run 'lint'`: exit code 2\n"), text);
  });

  it('reports that nothing changed', async () => {
    assert.match(await exportText('summary', sourceOf([])), /No tool call changed a file\./);
  });
});

describe('Markdown without requests', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['a <b>c</b> ![x](y)', 'a &lt;b>c&lt;/b> !\\[x](y)'],
    ['use `Map<string>` and <i>', 'use `Map<string>` and &lt;i>'],
    ['```html\n<p>\n```\n<p>', '```html\n<p>\n```\n&lt;p>'],
    ['- a\n\n  ```html\n  <p>\n  ```\n', '- a\n\n  ```html\n  <p>\n  ```\n'],
    ['- a\n\n  ```html\n<p>\n  ```\n<p>', '- a\n\n  ```html\n&lt;p>\n  ```\n&lt;p>'],
    ['- ```\n  <p>\n  ```\n  <p>', '- ```\n  &lt;p>\n  ```\n  &lt;p>'],
    ['` a\n` <p> `', '` a\n` &lt;p> `'],
    ['\\` <p> `', '\\` &lt;p> `'],
    ['| `a | <p> ` |', '| `a | &lt;p> ` |'],
  ];
  for (const [text, inert] of cases) it(`keeps code: ${text}`, () => assert.equal(inertMarkdown(text), inert));

  it('has no elements or images, wherever they are', () => {
    const part = fc.constantFrom(
      '<img src=x>',
      '![a](b)',
      '`',
      '``',
      '```',
      '````',
      '~~~',
      ' ',
      '  ',
      '    ',
      '\t',
      '- ',
      '1. ',
      '> ',
      '|',
      '\\',
      'a',
      '# ',
      '\u00a0',
      '\n',
      '\n',
      '\n\n',
      '\r',
      '<!--',
      '-->',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const inert = inertMarkdown(parts.join(''));
        for (const text of [inert, inert.replaceAll(/^/gm, '> ')]) {
          void walkTokens(new Lexer({ gfm: true }).lex(text), ({ type }) =>
            assert.ok(type !== 'html' && type !== 'image', text),
          );
        }
      }),
      { numRuns: 2000 },
    );
  });

  /** Addresses of the links in a text, as a reader of markdown understands it. */
  const addresses = (text: string): string[] => {
    const found: string[] = [];
    for (const shown of [text, text.replaceAll(/^/gm, '> ')])
      void walkTokens(new Lexer({ gfm: true }).lex(shown), (token) => {
        if (token.type === 'link' || token.type === 'def') found.push(entities(String(token['href'])));
      });
    return found;
  };
  const isHarmless = (address: string): boolean =>
    /^(?:https?:\/\/|mailto:)/i.test(address) ||
    (!/^[\s\p{Cc}]*(?:[a-z][a-z\d+.\-\t\n\r]*:(?!\d)|[\\/]{2})/iu.test(address) && !/^%/.test(address));

  it('has no links that run a program or lead to another host', () => {
    const hostile = [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'command:workbench.action.quit',
      'data:text/html,x',
      'vbscript:x',
      'file://host/share',
      'file:///etc/passwd',
      '//host/share',
      '/\\host/share',
      '\\\\host\\share',
      'vscode://x/y',
      '&#106;avascript:x',
      '&#x6a;avascript&colon;x',
      'javascript&colon;x',
      'javascript\\:x',
      'javascript%3Ax',
      'java&Tab;script:x',
      '/&#47;host/x',
      '&sol;&sol;host/x',
      '\u0001javascript:x',
    ];
    const forms = [
      (to: string) => `[a](${to})`,
      (to: string) => `[a]( ${to} "t")`,
      (to: string) => `[a](\n${to})`,
      (to: string) => `[a](<${to}>)`,
      (to: string) => `[a][b]\n\n[b]: ${to}`,
      (to: string) => `[b]\n\n[b]:\n${to}`,
      (to: string) => `[b]\n\n[b]: <${to}> "t"`,
      (to: string) => `<${to}>`,
      (to: string) => `<a href="${to}">x</a>`,
      (to: string) => `[![a](b)](${to})`,
      (to: string) => `[a](x\`) \` \` [b](${to}) \``,
      (to: string) => `[a](x "\`") \` \` [b](${to}) \``,
      (to: string) => `- > [a](${to})`,
      (to: string) => `| a |\n| - |\n| [a](${to}) |`,
    ];
    for (const to of hostile) {
      for (const form of forms) {
        const inert = inertMarkdown(form(to));
        for (const address of addresses(inert)) assert.ok(isHarmless(address), `${form(to)} leads to ${address}`);
      }
    }
  });

  it('keeps links to pages and relative files', () => {
    for (const text of [
      '[a](https://example.com/a_(b)?c=d&e=f#g)',
      '[a](https://example.com "title") and `code`',
      '[a](src/a.ts#L3)',
      '[a](../src/a.ts)',
      '[a](./a.md)',
      '[a](a.ts:12)',
      '[a](#top)',
      '[a](mailto:a@example.com)',
      '[a]\n\n[a]: https://example.com',
      'x[1]: text',
    ])
      assert.equal(inertMarkdown(text), text);
  });

  it('takes time linear in the text', () => {
    for (const unit of [
      '](',
      '](a',
      ']: ',
      '](https://a',
      '](https://a(',
      '`',
      '`a',
      '` `` ',
      '![',
      '<',
      '\n```',
      '> ',
      ' ',
      '```\n<\n',
    ]) {
      assert.ok(inertMarkdown(unit.repeat(1_000_000 / unit.length)).length > 0);
    }
  });
});

describe('exports: ledger', () => {
  const table = async (source = richSource): Promise<Record<string, string>[]> => {
    const [head = '', ...rows] = (await exportText('csv', source)).trimEnd().split('\r\n');
    const names = head.split(',');
    return rows.map((row) => Object.fromEntries(row.split(',').map((value, index) => [names[index] ?? '', value])));
  };

  it('has a row per run and per model, with empty cells for unknown figures', async () => {
    const rows = await table();
    assert.deepEqual(
      rows.map(({ row, model, usd, provenance, reason }) => [row, model, usd, provenance, reason]),
      [
        ['run', 'claude-sonnet-4-5', '0.25', 'reported', ''],
        ['model', 'claude-sonnet-4-5', '0.25', 'reported', ''],
        ['run', 'claude-sonnet-4-5', '', 'unknown', 'no price'],
        ['model', 'new-model', '', 'unknown', 'no price'],
      ],
    );
  });

  it('has the cost of a run with its only model, and none with each of several', async () => {
    const costProvenance = { provenance: 'estimated', usd: 0.5, priceTable: { name: 'p', date: 'd' } } as const;
    const models = [
      { model: 'a', input: 10 },
      { model: 'b', input: 10 },
    ];
    const reported = async (count: number) => {
      const metadata = aResult(0.5, { costProvenance, models: models.slice(0, count) });
      const rows = await table({ ...richSource, results: [{ runId: richSource.runs[0]?.run_id ?? '', metadata }] });
      return rows
        .filter(({ row }) => row === 'model')
        .map((row) => [row['usd'], row['provenance'], row['price_table'], row['reason']]);
    };
    assert.deepEqual(await reported(1), [['0.5', 'estimated', 'p', '']]);
    assert.deepEqual(await reported(2), [
      ['', 'unknown', '', 'The cost of this model is not recorded separately.'],
      ['', 'unknown', '', 'The cost of this model is not recorded separately.'],
    ]);
  });

  it('has tokens by kind, and none if none were reported', async () => {
    const rows = await table();
    assert.deepEqual(
      rows.map(({ agent, input_tokens }) => [agent, input_tokens]),
      [
        [richSource.summary.agent_label, '10'],
        [richSource.summary.agent_label, '10'],
        [richSource.summary.agent_label, ''],
        [richSource.summary.agent_label, ''],
      ],
    );
  });

  it('gives a run without a result no figures', async () => {
    const [row] = await table(sourceOf([anEntry(0)], { results: [] }));
    assert.equal(row?.['usd'], '');
    assert.equal(row['provenance'], 'unknown');
    assert.equal(row['reason'], 'No figures were recorded.');
    assert.equal(row['duration_ms'], '');
  });

  it('contains no formula, and no line break outside a cell', () => {
    assert.equal(csvCell('=1+1'), "'=1+1");
    assert.equal(csvCell('@x'), "'@x");
    assert.equal(csvCell('a,"b"\n'), '"a,""b""\n"');
    assert.equal(csvCell(0.5), '0.5');
    assert.equal(csvCell(null), '');
  });
});
