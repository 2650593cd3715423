import { type AgentCapture, linesOfCapture } from './agentCaptures.ts';
import { claudeCaptures, normalizeLines } from './captures.ts';
import { runResult, type LedgerOptions } from '../../../src/insight/ledger/ledger.ts';
import type { ExitInfo, RunFacts } from '../../../src/model/usage/facts.ts';
import type { ResultMetadata, RunResult } from '../../../src/model/session/result.ts';

const byName = new Map(claudeCaptures().map((capture) => [capture.name, capture]));

export function captureNamed(name: string): AgentCapture {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`There is no capture ${name}`);
  return found;
}

export function factsOf(name: string): { facts: RunFacts; exit: ExitInfo } {
  const { stdout, stderr, exit } = captureNamed(name);
  return { facts: normalizeLines(linesOfCapture({ stdout, stderr }), exit).facts, exit };
}

/** Results of captures (`<version>/<case>`) as consecutive runs of one session. */
export function resultsOfChain(names: readonly string[], options: LedgerOptions): RunResult[] {
  const results: RunResult[] = [];
  const previous: ResultMetadata[] = [];
  for (const name of names) {
    const { facts, exit } = factsOf(name);
    const result = runResult(facts, exit, previous, options);
    results.push(result);
    if (result.metadata !== undefined) previous.push(result.metadata);
  }
  return results;
}
