import assert from 'node:assert/strict';
import { claudeCode } from '../../../../../src/agents/claude-code/adapter.ts';
import { codex } from '../../../../../src/agents/codex/adapter.ts';
import { evidenceOf, compareLines } from '../../../../../src/insight/citations/sources/evidence.ts';
import { linksOf } from '../../../../../src/insight/citations/links.ts';
import { plainCommand, programKinds } from '../../../../../src/insight/citations/commands/programs.ts';
import { shellParts } from '../../../../../src/insight/citations/commands/shell.ts';
import { linesOfResult } from '../../../../../src/insight/citations/sources/resultLines.ts';
import { SessionEvidence } from '../../../../../src/insight/citations/sources/sessionEvidence.ts';
import { Sources } from '../../../../../src/insight/citations/sources/sources.ts';
import type { EvidenceLink } from '../../../../../src/insight/citations/types.ts';
import { doesRecordAgree } from '../../../../support/evidence/agreement.ts';
import type { NormalizedEntry } from '../../../../../src/model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../../../src/model/transcript/metadata.ts';
import type { ToolAction, ToolUse } from '../../../../../src/model/transcript/tool.ts';
import { capturesOf, linesOfCapture, readBy } from '../../../../support/captures/agentCaptures.ts';
import { findAdapter } from '../../../../../src/agents/registry.ts';

const timestamp = '2026-11-20T10:00:00.000Z';

function answer(index: number, content: string, metadata?: NormalizedEntryMetadata): NormalizedEntry {
  return { index, timestamp, type: { kind: 'assistant_message' }, content, ...(metadata && { metadata }) };
}

function step(index: number, action: ToolAction, overrides: Partial<ToolUse> = {}): NormalizedEntry {
  const tool: ToolUse = { toolName: 'made', callId: `call_${index}`, action, status: 'success', ...overrides };
  return { index, timestamp, type: { kind: 'tool_use', tool }, content: '' };
}

function linksAfter(steps: readonly NormalizedEntry[], content: string): EvidenceLink[] {
  const session = new SessionEvidence('/workspace');
  for (const entry of steps) session.add(entry);
  return linksOf(answer(1000, content), session);
}

const hash = (text: string): string => `length ${text.length}`;

describe('citations given by the agent', () => {
  const citationsOf = (agent: string, name: string): { entry: NormalizedEntry; links: EvidenceLink[] }[] => {
    const capture = capturesOf(agent).find((agentCapture) => agentCapture.name === name)!;
    const { entries } = readBy(findAdapter(agent)!, linesOfCapture(capture), capture.exit);
    const session = new SessionEvidence('/workspace');
    return entries.flatMap((entry) => {
      session.add(entry);
      const links = linksOf(entry, session).filter(({ status }) => status === 'given');
      return links.length === 0 ? [] : [{ entry, links }];
    });
  };

  for (const name of ['1.0.3/citations', '2.0.77/citations-partial']) {
    it(`has those of Claude at the block they are for (${name})`, () => {
      const found = citationsOf(claudeCode.type, name).flatMap(({ links }) =>
        links.map(({ claim, points, given: source }) => ({ claim, points, ...source })),
      );
      assert.deepEqual(found, [
        { claim: 'The sky is blue.', points: [0, 16], url: null, title: 'Doc', description: 'The sky is blue' },
        {
          claim: 'sunny in Lisbon.',
          points: [0, 16],
          url: 'https://weather.example.com/lisbon',
          title: 'Mock Weather',
          description: 'Sunny',
        },
      ]);
    });
  }

  it('count code points, as the specification does', () => {
    const [{ entry, links } = { entry: undefined, links: [] }] = citationsOf('acp-http', 'documented/researcher');
    assert.deepEqual(
      links.map(({ claim, points, range }) => ({ claim, points, range })),
      [
        { claim: 'Naïve', points: [0, 5], range: [0, 5] },
        { claim: 'recent study', points: [36, 48], range: [37, 49] },
      ],
    );
    assert.ok(entry?.content.includes('🚀'));
  });

  it("include Codex's URL annotations, with their ranges", () => {
    const line = {
      type: 'item.completed',
      item: {
        id: 'item_0',
        type: 'agent_message',
        text: '😀 It is sunny.',
        annotations: [{ type: 'url_citation', start_index: 2, end_index: 14, url: 'https://a.example/x', title: 'X' }],
      },
    };
    const { entries } = readBy(codex, [{ stream: 'stdout', text: JSON.stringify(line) }]);
    const [link] = entries.flatMap((entry) => linksOf(entry, new SessionEvidence('/workspace')));
    assert.equal(link?.status, 'given');
    assert.equal(link.claim, 'It is sunny.');
    assert.deepEqual(link.range, [3, 15]);
  });

  it('cover the whole text without a range, and none of it with an impossible one', () => {
    const at = (start_index?: number, end_index?: number) => ({
      kind: 'citation' as const,
      title: `${start_index}–${end_index}`,
      ...(start_index !== undefined && { start_index }),
      ...(end_index !== undefined && { end_index }),
    });
    const annotations = [at(), at(4, 90), at(4), at(90, 94), at(9, 12), at(4, 4), at(4, 2), at(-2, 3)];
    const links = linksOf(answer(3, 'Ein Satz.', { annotations }), new SessionEvidence(''));
    const claims = new Map(links.map(({ given, claim }) => [given?.title, claim]));
    assert.deepEqual(
      annotations.map(({ title }) => claims.get(title)),
      ['Ein Satz.', 'Satz.', 'Satz.', '', '', '', '', ''],
    );
    for (const { claim, range } of links) if (claim === '') assert.deepEqual(range, [9, 9]);
  });

  it('list a repeated citation once', () => {
    const citation = { kind: 'citation' as const, url: 'https://a.example/', title: 'A', start_index: 0, end_index: 3 };
    const annotations = [citation, { ...citation }, { ...citation, title: 'B' }];
    const links = linksOf(answer(3, 'Ein Satz.', { annotations }), new SessionEvidence(''));
    assert.deepEqual(
      links.map(({ given }) => given?.title),
      ['A', 'B'],
    );
  });

  it('name the step that fetched the page, without duplicates', () => {
    const session = new SessionEvidence('/workspace');
    session.add(step(1, { kind: 'web_fetch', url: 'https://A.example/x/' }));
    const text = 'See https://a.example/x for it.';
    const annotations = [{ kind: 'citation' as const, url: 'https://a.example/x#top', start_index: 0, end_index: 30 }];
    const [link, ...others] = linksOf(answer(2, text, { annotations }), session);
    assert.equal(link?.source?.entryIndex, 1);
    assert.equal(link.source.step, '1');
    assert.deepEqual(others, []);
  });
});

describe('what the session shows', () => {
  it('includes a neutral note if no tests ran', () => {
    const [link] = linksAfter([step(1, { kind: 'command_run', command: 'ls' })], 'All 12 tests pass.');
    assert.equal(link?.status, 'not_found');
    assert.equal(link.reason, 'no_matching_command');
    assert.deepEqual(link.candidates, []);
  });

  it('excludes runs that were denied or interrupted', () => {
    const steps = [
      step(1, { kind: 'command_run', command: 'npm test' }, { status: 'denied' }),
      step(2, { kind: 'command_run', command: 'npm test' }, { status: 'cancelled' }),
    ];
    assert.equal(linksAfter(steps, 'Tests pass.')[0]?.status, 'not_found');
  });

  it('includes a failed run, even if the answer claims success', () => {
    const steps = [step(1, { kind: 'command_run', command: 'npm test', exitCode: 1 }, { status: 'failed' })];
    const [link] = linksAfter(steps, 'All tests pass.');
    assert.equal(link?.status, 'found');
    assert.equal(link.source?.exitCode, 1);
    assert.equal(doesRecordAgree(link), false);
  });

  it('includes the number of failures if a pipe hides the exit code', () => {
    const action = {
      kind: 'command_run' as const,
      command: 'npm test | tail -3',
      exitCode: 0,
      stdout: 'Tests  1 failed | 11 passed (12)',
    };
    assert.equal(doesRecordAgree(linksAfter([step(1, action)], 'All 12 tests pass.')[0]), false);
  });

  it('lists every candidate step, best first', () => {
    const steps = [
      step(1, { kind: 'file_read', path: '/workspace/src/index.ts', startLine: 1, endLine: 9 }),
      step(2, { kind: 'file_read', path: 'lib/index.ts', startLine: 1, endLine: 9 }),
      step(3, { kind: 'search', query: 'x' }, { result: { text: 'src/index.ts:4: x' } }),
    ];
    const [link] = linksAfter(steps, 'See `index.ts`.');
    assert.deepEqual(
      link?.candidates.map(({ entryIndex, why }) => [entryIndex, why]),
      [
        [2, 'read'],
        [1, 'read'],
        [3, 'named_in_output'],
      ],
    );
    assert.deepEqual(
      linksAfter(steps, 'See `src/index.ts`.')[0]?.candidates.map(({ entryIndex }) => entryIndex),
      [1, 3],
    );
  });

  it('distinguishes an unseen file from unseen lines', () => {
    const steps = [step(1, { kind: 'file_read', path: 'a.ts', startLine: 1, endLine: 9 })];
    const [unseen] = linksAfter(steps, '`a.ts:40` is wrong');
    assert.deepEqual(
      [unseen?.status, unseen?.reason, unseen?.candidates[0]?.why],
      ['not_found', 'lines_not_seen', 'other_lines'],
    );
    assert.equal(linksAfter(steps, '`b.ts:40` is wrong')[0]?.reason, 'file_not_in_session');
  });

  it('never uses a later step as a source', () => {
    const session = new SessionEvidence('/workspace');
    session.add(step(5, { kind: 'file_read', path: 'a.ts' }));
    assert.equal(linksOf(answer(4, 'In `src/a.ts:3` it is.'), session)[0]?.status, 'not_found');
    assert.equal(linksOf(answer(6, 'In `a.ts:3` it is.'), session)[0]?.status, 'found');
  });

  it('is the same for complete, streamed and corrected steps', () => {
    const running = step(1, { kind: 'command_run', command: 'npm test' }, { status: 'running' });
    const done = step(1, { kind: 'command_run', command: 'npm test', exitCode: 0 });
    const grown = linksAfter([running, done, done], 'Tests pass.');
    assert.deepEqual(grown, linksAfter([done], 'Tests pass.'));
    const corrected = linksAfter(
      [done, step(1, { kind: 'command_run', command: 'npm test' }, { status: 'denied' })],
      'Tests pass.',
    );
    assert.equal(corrected[0]?.status, 'not_found');
  });

  it('numbers steps like the panel, with subagents below their call', () => {
    const steps = [
      step(1, { kind: 'task', description: 'look' }),
      step(2, { kind: 'file_read', path: 'a.ts' }, { parentCallId: 'call_1' }),
    ];
    assert.equal(linksAfter(steps, 'See `a.ts`.')[0]?.source?.step, '1.1');
  });

  it('includes commands inside a shell and in lists of commands', () => {
    assert.equal(plainCommand(`/bin/bash -lc 'cargo test'`), 'cargo test');
    assert.deepEqual(
      [...programKinds(shellParts('cd x && CI=1 npx vitest run | tail -1; npm run lint'))],
      ['test', 'check'],
    );
    const steps = [step(1, { kind: 'command_run', command: `bash -lc 'cd web && npm test'` })];
    assert.equal(linksAfter(steps, 'I ran `npm test`.')[0]?.source?.why, 'ran_as_part');
  });
});

describe('evidence', () => {
  const read = step(
    2,
    { kind: 'file_read', path: 'a.ts', startLine: 10, endLine: 14 },
    {
      result: {
        text: '    10→ten\n    11→eleven\n    12→twelve\n    13→thirteen\n    14→fourteen\n\n<system-reminder>no</system-reminder>',
      },
    },
  );
  const evidenceFor = (entry: NormalizedEntry, text: string) => {
    const [link] = linksAfter([entry], text);
    assert.ok(link?.source, text);
    return evidenceOf(entry, link.source, link, hash);
  };

  it('is the text of the lines at the time of the step', () => {
    const evidence = evidenceFor(read, '`a.ts:13`');
    assert.deepEqual(
      [evidence.lines, evidence.originalText, evidence.cut],
      [[11, 14], 'eleven\ntwelve\nthirteen\nfourteen', true],
    );
    assert.equal(evidence.hash, 'length 31');
  });

  it('is compared with the current file', () => {
    const evidence = evidenceFor(read, '`a.ts:13`');
    const nine = 'x\n'.repeat(9);
    assert.equal(compareLines(evidence, `${nine}ten\neleven\ntwelve\nthirteen\nfourteen\n`), 'same');
    assert.equal(compareLines(evidence, `${nine}ten\r\neleven\r\ntwelve\r\nthirteen\r\nfourteen\r\n`), 'same');
    assert.equal(compareLines(evidence, 'ten\neleven\ntwelve\nthirteen\nfourteen\n'), 'moved');
    assert.equal(compareLines(evidence, 'ten\nELEVEN\n'), 'changed');
    assert.equal(compareLines(evidence, null), 'gone');
  });

  it('is the new side of an edit, and the end of long output', () => {
    const patch = '@@ -4,3 +4,3 @@\n four\n-old\n+new\n six';
    const edit = step(3, { kind: 'file_edit', changes: [{ path: 'a.ts', kind: 'update', patch }] });
    assert.deepEqual(evidenceFor(edit, '`a.ts:5` is new').originalText, 'four\nnew\nsix');
    const output = Array.from({ length: 90 }, (_, at) => `line ${at}`).join('\n');
    const run = step(3, { kind: 'command_run', command: 'npm test', stdout: output, exitCode: 0 });
    const evidence = evidenceFor(run, 'Tests pass.');
    assert.equal(evidence.originalText?.split('\n').at(-1), 'line 89');
    assert.deepEqual([evidence.cut, evidence.command, evidence.exitCode], [true, 'npm test', 0]);
  });

  it('omits line numbers added by agents, and leaves other text unchanged', () => {
    assert.deepEqual(linesOfResult('1\ta\n2\t\tb\n3\t', 1), { first: 1, lines: ['a', '\tb'], endsWithLineBreak: true });
    assert.deepEqual(linesOfResult('a\nb\n', 7), { first: 7, lines: ['a', 'b'], endsWithLineBreak: true });
  });
});

describe('sources', () => {
  it('have one number each, even if cited often', () => {
    const steps = [
      step(1, { kind: 'file_read', path: 'a.ts', startLine: 1, endLine: 9 }),
      step(2, { kind: 'file_read', path: 'b.ts' }),
    ];
    const sources = new Sources();
    assert.deepEqual(
      sources.add(10, linksAfter(steps, '`a.ts:3`, `b.ts` and again `a.ts:3`; docs/x.md says so.')),
      [1, 2, 1, 3],
    );
    assert.deepEqual(sources.add(11, linksAfter(steps, 'docs/x.md and `a.ts:3`.')), [3, 1]);
    assert.deepEqual(
      sources.all().map(({ number, cited, entries }) => [number, cited, entries]),
      [
        [1, 3, [10, 11]],
        [2, 1, [10]],
        [3, 2, [10, 11]],
      ],
    );
  });
});
