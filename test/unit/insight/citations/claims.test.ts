import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { linksOf } from '../../../../src/insight/citations/links.ts';
import { SessionEvidence } from '../../../../src/insight/citations/sources/sessionEvidence.ts';
import type { EvidenceLink } from '../../../../src/insight/citations/types.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import {
  labelledSessions,
  missesFile,
  type LabelledAnswer,
  type LabelledSession,
} from '../../../support/evidence/claims.ts';

interface Score {
  claims: number;
  /** Links that say the right thing about a claim, over those with a source and all. */
  readonly found: { right: number; wrong: number; missed: number };
  readonly all: { right: number; wrong: number; missed: number };
  readonly misses: string[];
}

/** A command and how it went are one claim, where the command is quoted. */
const isRun = ({ kind, claim }: EvidenceLink): boolean =>
  ['test', 'build', 'check'].includes(kind) && claim.startsWith('`');

function linked({ entries, workDir }: LabelledSession, { text }: LabelledAnswer): EvidenceLink[] {
  const session = new SessionEvidence(workDir);
  for (const entry of entries) session.add(entry);
  const index = (entries.at(-1)?.index ?? 0) + 1;
  const answer: NormalizedEntry = {
    index,
    timestamp: '2026-11-20T11:00:00.000Z',
    type: { kind: 'assistant_message' },
    content: text,
  };
  return linksOf(answer, session);
}

function measure(sessions: readonly LabelledSession[]): Score {
  const score: Score = {
    claims: 0,
    found: { right: 0, wrong: 0, missed: 0 },
    all: { right: 0, wrong: 0, missed: 0 },
    misses: [],
  };
  for (const session of sessions) {
    for (const answer of session.answers) {
      score.claims += answer.claims.length;
      const links = linked(session, answer);
      const met = new Set<unknown>();
      for (const link of links) {
        const claim = answer.claims.find(({ start, end }) => start < link.range[1] && end > link.range[0]);
        const steps = claim?.steps ?? [];
        const right =
          claim !== undefined &&
          (claim.kinds.includes(link.kind) || (isRun(link) && claim.kinds.includes('command'))) &&
          (link.status === 'found' ? steps.includes(link.source?.entryIndex ?? -1) : steps.length === 0);
        if (!right) {
          score.all.wrong += 1;
          if (link.status === 'found') score.found.wrong += 1;
          const wanted =
            claim === undefined ? 'no claim' : `${claim.kinds.join('/')} ${claim.steps.join(',') || 'not found'}`;
          const got = `${link.kind} ${link.status === 'found' ? String(link.source?.entryIndex) : 'not found'}`;
          score.misses.push(`${session.name}: wrong: "${link.claim}" is ${wanted}, linked as ${got}`);
        } else if (!met.has(claim)) {
          met.add(claim);
          score.all.right += 1;
          if (link.status === 'found') score.found.right += 1;
        }
      }
      for (const claim of answer.claims) {
        if (met.has(claim)) continue;
        score.all.missed += 1;
        if (claim.steps.length > 0) score.found.missed += 1;
        const words = answer.text.slice(claim.start, claim.end);
        score.misses.push(
          `${session.name}: missed: "${words}" (${claim.kinds.join('/')} ${claim.steps.join(',') || 'not found'})`,
        );
      }
    }
  }
  return score;
}

const precision = ({ right, wrong }: Score['all']): number => right / Math.max(1, right + wrong);
const recall = ({ right, missed }: Score['all']): number => right / Math.max(1, right + missed);
const figures = (counts: Score['all']): string =>
  `precision ${precision(counts).toFixed(3)}, recall ${recall(counts).toFixed(3)} (${counts.right} right, ${counts.wrong} wrong, ${counts.missed} missed)`;

describe('evidence for labelled claims', () => {
  const dev = measure(labelledSessions('dev'));
  const holdout = measure(labelledSessions('holdout'));

  it('has at least 120 claims to measure', () => {
    assert.ok(dev.claims + holdout.claims >= 120, String(dev.claims + holdout.claims));
  });

  for (const [name, score] of Object.entries({ dev, holdout })) {
    it(`has sufficient precision and recall (${name})`, () => {
      const shown = [figures(score.found), figures(score.all), ...score.misses].join('\n');
      assert.ok(precision(score.found) >= 0.95 && precision(score.all) >= 0.95, shown);
      assert.ok(recall(score.found) >= 0.9 && recall(score.all) >= 0.9, shown);
    });
  }

  it('matches the list of misses', () => {
    const report = Object.entries({ dev, holdout }).flatMap(([name, score]) => [
      `${name}: ${score.claims} claims`,
      `  sources found: ${figures(score.found)}`,
      `  with those said not to be there: ${figures(score.all)}`,
      ...score.misses.map((miss) => `  - ${miss}`),
    ]);
    const text = `${report.join('\n')}\n`;
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(missesFile, text);
    assert.equal(existsSync(missesFile) ? readFileSync(missesFile, 'utf8') : '', text);
  });
});
