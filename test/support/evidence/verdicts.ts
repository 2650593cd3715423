import { readFileSync } from 'node:fs';
import path from 'node:path';
import { linksOf } from '../../../src/insight/citations/links.ts';
import { SessionEvidence } from '../../../src/insight/citations/sources/sessionEvidence.ts';
import type { ClaimVerdict, EvidenceLink } from '../../../src/insight/citations/types.ts';
import { createEntry, type SyntheticStep } from './claims.ts';
import { repository } from '../host/install/cache.mjs';

/** A session, an answer about it, and a reader's verdict. */
export interface VerdictPair {
  readonly name: string;
  readonly steps: readonly (SyntheticStep | { readonly ref: string })[];
  readonly say: string;
  readonly verdict: ClaimVerdict;
}

const folder = path.join(repository, 'test/fixtures/verdicts');

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));

export const verdictPairs = (file: 'pairs.json' | 'holdout.json'): readonly VerdictPair[] =>
  read(file) as readonly VerdictPair[];
export const outputs = (): Readonly<Record<string, SyntheticStep>> =>
  read('outputs.json') as Readonly<Record<string, SyntheticStep>>;

interface RunnerSet {
  readonly outputs: Readonly<Record<string, SyntheticStep>>;
  readonly pairs: readonly VerdictPair[];
}

/**
 * Pairs that were labelled before any change was made for them. `fromRunners`: output of some forty test runners in
 * small projects. `fromRunnersHoldout`: examples from manuals.
 */
export function runnerPairs(file: 'fromRunners.json' | 'fromRunnersHoldout.json'): readonly VerdictPair[] {
  const { outputs: known, pairs } = read(file) as RunnerSet;
  return pairs.map((pair) => ({
    ...pair,
    steps: pair.steps.map((step) => ('ref' in step ? (known[step.ref] ?? {}) : step)),
  }));
}

/** An answer that names a location, and whether the session has it. */
export interface SourcePair {
  readonly steps: readonly SyntheticStep[];
  readonly say: string;
  readonly status: EvidenceLink['status'];
}

export const sourcePairs = (): readonly SourcePair[] => read('sources.json') as readonly SourcePair[];

/** Claims of an answer that can be checked against the session. */
export function linksIn(steps: readonly SyntheticStep[], say: string): EvidenceLink[] {
  const session = new SessionEvidence('/workspace');
  for (const [index, step] of steps.entries()) session.add(createEntry(step, index));
  return linksOf(
    { index: 1000, timestamp: '2026-11-20T11:00:00.000Z', type: { kind: 'assistant_message' }, content: say },
    session,
  );
}

/** Vitrine's verdict; `none` for an answer without a claim about an outcome. */
export function verdictOf({ steps, say }: VerdictPair, known = outputs()): ClaimVerdict | 'none' {
  const links = linksIn(
    steps.map((step) => ('ref' in step ? (known[step.ref] ?? {}) : step)),
    say,
  );
  return links.find(({ judged }) => judged !== undefined)?.judged?.verdict ?? 'none';
}

export interface VerdictScore {
  readonly precision: number;
  readonly recall: number;
  readonly given: number;
  readonly labelled: number;
}

export interface Scores {
  readonly by: Readonly<Record<ClaimVerdict, VerdictScore>>;
  /** One line per pair with another verdict. */
  readonly misses: readonly string[];
}

export function scorePairs(pairs: readonly VerdictPair[]): Scores {
  const known = outputs();
  const got = pairs.map((pair) => ({ pair, verdict: verdictOf(pair, known) }));
  const score = (verdict: ClaimVerdict): VerdictScore => {
    // An answer without a recognized claim has no verdict, which is equivalent to `unknown`.
    const verdicts = got.filter(
      (judged) => judged.verdict === verdict || (verdict === 'unknown' && judged.verdict === 'none'),
    );
    const labelled = got.filter(({ pair }) => pair.verdict === verdict);
    const right = verdicts.filter(({ pair }) => pair.verdict === verdict).length;
    return {
      precision: right / Math.max(1, verdicts.length),
      recall: right / Math.max(1, labelled.length),
      given: verdicts.length,
      labelled: labelled.length,
    };
  };
  const by = {
    agrees: score('agrees'),
    disagrees: score('disagrees'),
    stale: score('stale'),
    partial: score('partial'),
    unknown: score('unknown'),
  };
  const misses = got
    .filter(({ pair, verdict }) => verdict !== pair.verdict && !(verdict === 'none' && pair.verdict === 'unknown'))
    .map(({ pair: { name, say, verdict: label }, verdict }) => `${name}: "${say}" is ${label}, got ${verdict}`);
  return { by, misses };
}

export function formatScores({ by, misses }: Scores): string {
  const lines = Object.entries(by).map(
    ([verdict, { precision, recall, given, labelled }]) =>
      `${verdict}: precision ${precision.toFixed(3)} of ${given}, recall ${recall.toFixed(3)} of ${labelled}`,
  );
  return [...lines, ...misses].join('\n');
}
