import assert from 'node:assert/strict';
import { withFootnotes } from '../../../../src/insight/citations/footnotes.ts';
import type { NumberedLink } from '../../../../src/insight/citations/sessionLinks.ts';
import type { Candidate, EvidenceLink } from '../../../../src/insight/citations/types.ts';

const words = {
  citedByAgent: (what: string) => `${what} (given)`,
  found: (what: string, step: string) => `${what} (step ${step})`,
  notFound: (what: string) => `${what} (not found)`,
};
const candidate: Candidate = {
  entryIndex: 4,
  callId: 'c',
  step: '3.1',
  score: 1,
  why: 'read',
  status: 'success',
  at: '2026-11-20T10:00:00Z',
  path: 'src/a.ts',
};

/** A link on the words, which must stand once in the content. */
function link(content: string, claim: string, number: number, overrides: Partial<EvidenceLink> = {}): NumberedLink {
  const start = content.indexOf(claim);
  assert.ok(start !== -1 && content.indexOf(claim, start + 1) === -1, claim);
  const range = [start, start + claim.length] as const;
  const base: EvidenceLink = { range, points: range, kind: 'file', claim, status: 'found', candidates: [] };
  return { at: 0, number, link: { ...base, ...overrides } };
}

const notes = (content: string, ...links: NumberedLink[]): string => withFootnotes(content, links, words);

describe('an answer with its sources', () => {
  it('is only the answer if it has none', () => {
    assert.equal(notes('Nothing to add.\n'), 'Nothing to add.\n');
  });

  it('has a number after each claim, and a note for each number', () => {
    const text = 'See src/a.ts and src/b.ts and the docs.';
    const all = [
      link(text, 'src/b.ts', 2, { status: 'not_found', path: 'src/b.ts', lines: [3, 5] }),
      link(text, 'src/a.ts', 1, { source: candidate, lines: [7, 7] }),
      link(text, 'the docs', 3, {
        status: 'given',
        given: { url: 'https://example.org/', title: 'Docs\nof it', description: null },
      }),
    ];
    assert.equal(
      notes(text, ...all),
      'See src/a.ts[^1] and src/b.ts[^2] and the docs[^3].\n\n' +
        '[^1]: src/a.ts:7-7 (step 3.1)\n[^2]: src/b.ts:3-5 (not found)\n[^3]: Docs of it https://example.org/ (given)\n',
    );
  });

  it('includes the outcome of a command', () => {
    const text = 'Tests pass.';
    const { path, ...rest } = candidate;
    assert.equal(path, 'src/a.ts');
    const ran = { ...rest, command: 'npm test\n--all', exitCode: 0 };
    assert.match(
      notes(text, link(text, 'Tests pass', 1, { source: ran })),
      /\[\^1\]: npm test --all \(exit 0\) \(step 3\.1\)\n$/,
    );
  });

  it('has one note per number, and joins two at the same place', () => {
    const text = 'First a.ts, then b.ts.';
    const first = link(text, 'a.ts', 1, { source: candidate });
    const both = notes(text, first, link(text, 'b.ts', 1, { source: candidate }), { ...first, number: 2 });
    assert.equal(both, 'First a.ts[^1][^2], then b.ts[^1].\n\n[^1]: src/a.ts (step 3.1)\n[^2]: src/a.ts (step 3.1)\n');
  });

  it('has no number inside code', () => {
    const inline = 'Run `npm test -- a.ts now` or ``x ` b.ts``.';
    const numbered = notes(inline, link(inline, 'a.ts', 1, {}), link(inline, 'b.ts', 2, {}));
    assert.ok(numbered.startsWith('Run `npm test -- a.ts now`[^1] or ``x ` b.ts``[^2].\n'), numbered);
    for (const fence of ['```', '~~~']) {
      const block = `Before\n\n${fence}sh\ncat a.ts\n${fence}\nafter`;
      assert.ok(
        notes(block, link(block, 'a.ts', 1)).startsWith(`Before\n\n${fence}sh\ncat a.ts\n${fence}\n\n[^1]\nafter`),
      );
    }
  });

  it('limits the length of a note', () => {
    const text = 'This.';
    const long = link(text, 'This', 1, { status: 'not_found', path: 'x'.repeat(5000) });
    assert.ok(notes(text, long).length < 700);
  });
});
