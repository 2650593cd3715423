import assert from 'node:assert/strict';
import { Lexer, walkTokens } from 'marked';
import { reportMarkdown } from '../../../../src/formats/pages/reportMarkdown.ts';
import type { Report } from '../../../../src/model/pages/report.ts';
import { payloads } from '../../../support/hostile/payloads.ts';

const report: Report = {
  title: 'Vitrine Doctor',
  text: ['1. Begins like a list.'],
  facts: [{ name: 'Store', value: { text: '/home/me/store', code: true } }],
  actions: [{ id: '1.0', label: 'Open Log' }],
  sections: [
    {
      title: 'Claude Agent (ACP)',
      tables: [
        {
          label: 'Agents',
          columns: [{ label: 'Agent' }, { label: 'Cost', numeric: true }, { label: 'Actions' }],
          rows: [
            [
              { text: 'Codex 0.42' },
              { text: '$1.50', sort: 1.5 },
              { text: '', actions: [{ id: '1.1', label: 'Install' }] },
            ],
          ],
          note: 'One is missing.',
        },
      ],
    },
    { title: 'Closed', collapsed: true, text: ['All the same.'] },
  ],
};

describe('a report as Markdown', () => {
  it('has text, facts and tables of every section, and no buttons', () => {
    assert.equal(
      reportMarkdown(report),
      `# Vitrine Doctor

1\\. Begins like a list.

- Store: \`/home/me/store\`

## Claude Agent (ACP)

**Agents**

| Agent      | Cost   |
| ---------- | ------ |
| Codex 0.42 | \\$1.50 |

One is missing.

## Closed

All the same.
`,
    );
  });

  for (const { name, text } of payloads) {
    it(`keeps text plain: ${name}`, () => {
      const hostile = reportMarkdown({
        title: text,
        text: [text],
        facts: [{ name: text, value: { text, code: true } }],
        sections: [
          {
            title: text,
            tables: [
              { label: text, columns: [{ label: text }], rows: [[{ text }], [{ text, code: true }]], note: text },
            ],
          },
        ],
      });
      const kinds = new Set<string>();
      void walkTokens(new Lexer({ gfm: true }).lex(hostile), ({ type }) => void kinds.add(type));
      const ours = [
        'heading',
        'paragraph',
        'list',
        'list_item',
        'table',
        'strong',
        'codespan',
        'text',
        'escape',
        'space',
      ];
      assert.deepEqual(
        [...kinds].filter((kind) => !ours.includes(kind)),
        [],
      );
    });
  }
});
