/** Every recorded run as a session, for lists, headers and exports. */
import { adapters } from '../../../src/agents/registry.ts';
import { resultOf, summaryOf, reportedFigures, addSteps, noSteps } from '../../../src/engine/run/runFigures.ts';
import type { ExportSource } from '../../../src/formats/export/shared/source.ts';
import { loadPrices } from '../../../src/insight/prices/prices.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ResultMetadata } from '../../../src/model/session/result.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import type { MessageUsage } from '../../../src/model/usage/facts.ts';
import type { Turn } from '../../../src/model/session/turn.ts';
import { capturesOf, linesOfCapture, readBy } from './agentCaptures.ts';
import { sourceOf } from '../sessions/exported.ts';
import { aRun, aSummary } from '../sessions/records.ts';

export interface RecordedSession {
  /** `<executor>/<version>/<case>`. */
  readonly name: string;
  /** Complete output of the agent. */
  readonly printed: string;
  readonly entries: readonly NormalizedEntry[];
  readonly summary: SessionSummary;
  readonly turn: Turn;
  readonly result: ResultMetadata | undefined;
  readonly messages: readonly MessageUsage[];
  readonly source: ExportSource;
}

export async function recordedSessions(): Promise<RecordedSession[]> {
  const prices = await loadPrices();
  return adapters.flatMap((adapter) =>
    capturesOf(adapter.type).map((capture): RecordedSession => {
      const lines = linesOfCapture(capture);
      const { entries, facts } = readBy(adapter, lines, capture.exit);
      const figures = {
        previous: [],
        isNewConversation: false,
        prices,
        agentVersion: facts.agentVersion,
        askedModel: null,
      };
      const { success, metadata } = resultOf(facts, capture.exit, figures);
      const status = success ? 'completed' : 'failed';
      const run = aRun({ status, completed_at: entries.at(-1)?.timestamp ?? '', end_index: entries.length });
      const summary = aSummary({
        agent_label: adapter.label,
        outcome: status,
        entries: entries.length,
        turns: null,
        duration: null,
        api_duration: null,
        ...reportedFigures(facts),
        ...(metadata !== undefined && summaryOf(metadata, {}, run)),
      });
      const turn: Turn = {
        runId: run.run_id,
        firstIndex: 0,
        status,
        startedAt: entries[0]?.timestamp ?? run.created_at,
        durationMs: metadata?.duration ?? null,
        steps: addSteps(noSteps, entries).steps,
        usd: metadata?.cost ?? null,
        costProvenance: metadata?.costProvenance.provenance ?? 'unknown',
      };
      const results = metadata === undefined ? [] : [{ runId: run.run_id, metadata }];
      const name = `${adapter.type}/${capture.name}`;
      const printed = lines.map((line) => ('text' in line ? line.text : '')).join('\n');
      const source = sourceOf(entries, { summary, runs: [run], results });
      return { name, printed, entries, summary, turn, result: metadata, messages: facts.messages, source };
    }),
  );
}

const broken = [/\bNaN\b/g, /\bundefined\b/g, /\bInfinity\b/g, /\[object /g];

const noise = [...broken, /\d*\.\d*(?:0{6,}[1-9]|9{6,})\d*/g, /(?<![\w.–-])-\d[\d.,]* ?(?:ms|s|min|h|d)\b/g];

/** Values that exported JSON must not contain, such as rounded numbers; the agent's own output is exempt. */
export function findBrokenValues(text: string, printed: string): string[] {
  const durations = /"[a-z_]*duration[a-z_]*": ?-\d/gi;
  return [...broken, durations]
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([found]) => found))
    .filter((found) => !printed.includes(found));
}

/** Text that users must not see, such as `undefined`; the agent's own output is exempt. */
export function findNoise(text: string, printed = ''): string[] {
  return noise
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([found]) => found))
    .filter((found) => !printed.includes(found));
}
