import { Lexer } from 'marked';
import { linksOf } from '../../src/insight/citations/links.ts';
import { SessionEvidence } from '../../src/insight/citations/sources/sessionEvidence.ts';
import { Trajectory } from '../../src/insight/trajectory/steps.ts';
import { waterfall } from '../../src/insight/trajectory/waterfall.ts';
import type { NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { demoEntries, labelledSessions } from '../../test/support/evidence/claims.ts';
import { call, reads, runs } from '../../test/support/sessions/madeEntries.ts';
import { compare, type Row } from '../harness.ts';

/** An answer of this length that is full of claims, like the labelled ones. */
function answer(characters: number): NormalizedEntry {
  const once = labelledSessions('dev').flatMap(({ answers }) => answers.map(({ text }) => text));
  const text = `${once.join('\n\n')}\n\n`;
  const content = text.repeat(Math.ceil(characters / text.length)).slice(0, characters);
  return { index: 1_000_000, timestamp: '', type: { kind: 'assistant_message' }, content };
}

/** Alternates between reading one of a thousand files and commands that name files. */
function session(steps: number): NormalizedEntry[] {
  const output = 'src/a.ts:3:7 error TS1005\n'.repeat(10);
  return Array.from({ length: steps }, (_, index) =>
    index % 2 === 0
      ? call(index, reads(`/w/src/${index % 1000}.ts`, { startLine: 1, endLine: 90 }))
      : call(index, runs(index % 5 === 0 ? 'npm test' : `node tool.js ${index % 700}`, 0), {
          result: { text: output },
        }),
  );
}

function indexed(entries: readonly NormalizedEntry[]): SessionEvidence {
  const evidence = new SessionEvidence('/w');
  for (const entry of entries) evidence.add(entry);
  return evidence;
}

function laidOut(entries: readonly NormalizedEntry[]): number {
  const trajectory = new Trajectory();
  for (const entry of entries) trajectory.add(entry, 1);
  return waterfall(trajectory.rows(), trajectory.lanes(), 0).total;
}

export async function evidence(turns = 3): Promise<Row[]> {
  const [whole, half] = [answer(1_000_000), answer(500_000)];
  const demo = indexed(demoEntries());
  const growth = await compare(
    () => linksOf(whole, demo),
    () => linksOf(half, demo),
    turns,
  );
  const parsed = await compare(
    () => linksOf(whole, demo),
    () => Lexer.lex(whole.content),
    turns,
  );
  const [all, part] = [session(100_000), session(50_000)];
  const indexing = await compare(
    () => indexed(all),
    () => indexed(part),
    turns,
  );
  const layout = await compare(
    () => laidOut(all),
    () => laidOut(part),
    turns,
  );
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return [
    {
      name: 'evidence: answer of 1 MB, against 500 KB',
      value: growth.ratio,
      unit: '×',
      goal: 2.5,
      detail: `${ms(growth.subject)} and ${ms(growth.baseline)}, ${linksOf(whole, demo).length} links`,
    },
    {
      name: 'evidence: answer of 1 MB, against its markdown',
      value: parsed.ratio,
      unit: '×',
      goal: 10,
      detail: `${ms(parsed.subject)}; lexed in ${ms(parsed.baseline)}`,
    },
    {
      name: 'evidence: index of 100,000 steps, against 50,000',
      value: indexing.ratio,
      unit: '×',
      goal: 2.5,
      detail: `${ms(indexing.subject)} and ${ms(indexing.baseline)}`,
    },
    {
      name: 'trajectory: 100,000 steps laid out, against 50,000',
      value: layout.ratio,
      unit: '×',
      goal: 3,
      detail: `${ms(layout.subject)} and ${ms(layout.baseline)}`,
    },
  ];
}
