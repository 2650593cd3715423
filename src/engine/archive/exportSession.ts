import { createHash, createHmac } from 'node:crypto';
import { eventsIn } from '../../formats/events.ts';
import { exportFormats } from '../../formats/export/formats.ts';
import { redactedSource } from '../../formats/export/shared/redacted.ts';
import type { AuditSource } from '../../formats/audit/rows.ts';
import type { ExportedFigure, ExportSource, ExportTools } from '../../formats/export/shared/source.ts';
import type { LineOf, RecordedRun } from '../../formats/record.ts';
import { Redactor, type RedactionReport } from '../../formats/redaction/redactor.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import { messageCosts } from '../../insight/usage/spending.ts';
import type { MessageUsage } from '../../model/usage/facts.ts';
import { failures } from '../failures/failures.ts';
import type { ChildRecords } from './childRecords.ts';
import { exportedPage } from './exportedPage.ts';
import type { RecordReader } from '../record/contract.ts';

const pageEntries = 200;
const tagDigits = 8;

export interface ExportRequest {
  /** One of `exportFormats`. */
  readonly format: string;
  /** Masks secrets. */
  readonly redact: boolean;
  /** Includes child sessions, their children, and so on; only in HTML. */
  readonly children?: boolean;
  /** Hexadecimal key for masking: the same session and key give the same bytes. Default: random. */
  readonly key?: string;
}

/** Available once the whole export was read. `key` and `redaction` are `null` if nothing was masked. */
export interface ExportReport {
  readonly format: string;
  readonly bytes: number;
  /** SHA-256 of the whole output, hexadecimal. */
  readonly sha256: string;
  readonly key: string | null;
  readonly redaction: RedactionReport | null;
}

export interface ExportDeps {
  /** Version of Vitrine. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
  /** Price table for the figures of single messages. */
  readonly prices: () => Promise<PriceTable>;
  readonly children: ChildRecords;
  /** Records the export in the session with this id. */
  readonly note: (report: ExportReport, sessionId: string) => Promise<void>;
}

/** An export in pieces. `report` is available after the last piece. */
export interface SessionExport {
  readonly chunks: AsyncIterable<string>;
  report(): ExportReport | null;
}

/** Closes the reader after the last piece or when the consumer stops. @throws EngineFailure for an unknown format */
export async function exportSession(
  reader: RecordReader,
  request: ExportRequest,
  deps: ExportDeps,
): Promise<SessionExport> {
  const format = exportFormats.find(({ id }) => id === request.format);
  if (format === undefined) {
    await reader.close();
    throw failures.exportFormatUnknown(
      request.format,
      exportFormats.map(({ id }) => id),
    );
  }
  const key = request.redact ? (request.key ?? deps.randomHex(32)) : null;
  const redactor = key === null ? null : new Redactor((secret) => secretTag(key, secret));
  const masks = (): { total: number; byRule: RedactionReport['byRule'] } | null => {
    if (redactor === null) return null;
    const { total, byRule } = redactor.report();
    return { total, byRule };
  };
  const tools = { ...exportTools(deps), masks };
  const hash = createHash('sha256');
  let bytes = 0;
  let report: ExportReport | null = null;
  const exportedIds = [reader.id];
  const wholeSource = async (of: RecordReader): Promise<ExportSource> => ({
    ...(await sourceOf(of)),
    figures: async () => figuresOf(of, await deps.prices()),
  });
  const children = {
    omitted: () => deps.children.omitted,
    sources: async function* () {
      for await (const child of deps.children.readersOf(reader.id)) {
        exportedIds.push(child.id);
        yield await wholeSource(child);
      }
    },
  };
  const chunks = async function* (): AsyncGenerator<string> {
    try {
      const source = { ...(await wholeSource(reader)), ...(request.children === true && { children }) };
      const exporter = await format.load();
      for await (const chunk of exporter.write(redactor === null ? source : redactedSource(source, redactor), tools)) {
        if (chunk === '') continue;
        hash.update(chunk);
        bytes += Buffer.byteLength(chunk);
        yield chunk;
      }
      report = { format: format.id, bytes, sha256: hash.digest('hex'), key, redaction: redactor?.report() ?? null };
      for (const id of exportedIds) await deps.note(report, id);
    } finally {
      await reader.close();
    }
  };
  return { chunks: withCleanup(chunks(), () => reader.close()), report: () => report };
}

/** A generator that is closed before its first piece runs no `finally` block, so this closes its resources. */
function withCleanup(pieces: AsyncGenerator<string>, close: () => Promise<void>): AsyncIterable<string> {
  const iterator: AsyncIterator<string> = {
    next: () => pieces.next(),
    return: async () => {
      await pieces.return(undefined);
      await close();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

export function exportTools({ version, clock }: Pick<ExportDeps, 'version' | 'clock'>): ExportTools {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  return { version, at: new Date(clock()).toISOString(), sha256, page: exportedPage, masks: () => null };
}

/** What the record keeps of an export: enough to reproduce the masks and to recognize the file, without secrets. */
export type ExportDecision = LineOf<'decision'>['decision'] & { readonly type: 'export' };

export function exportDecision(report: ExportReport, at: string): ExportDecision {
  const { format, bytes, sha256, key, redaction } = report;
  const masked = redaction === null ? {} : { key, masked: redaction.total, by_rule: redaction.byRule };
  return { type: 'export', at, format, bytes, sha256, redacted: redaction !== null, ...masked };
}

/** Latest figures of each response that an entry shows. */
async function figuresOf(reader: RecordReader, prices: PriceTable): Promise<ExportedFigure[]> {
  const last = new Map<string, MessageUsage>();
  for (const { run_id: run, usage } of await reader.usage()) last.set(`${run} ${usage.messageId}`, usage);
  const messages = [...last.values()];
  const costs = messageCosts(messages, prices, reader.summary.model);
  return messages.flatMap(({ entries = [] }, at) => {
    const known = costs[at];
    if (known === undefined || entries.length === 0) return [];
    const { model, usage, cost, settled } = known;
    return [{ entries, figure: { model, usage, cost, settled } }];
  });
}

/** First digits of a keyed hash, shown in masks. */
export function secretTag(key: string, secret: string): string {
  return createHmac('sha256', key).update(secret).digest('hex').slice(0, tagDigits);
}

/** A recorded session with the entries of one run or of all runs. Keep the reader open while using it. */
export async function sourceOf(reader: RecordReader, run?: RecordedRun): Promise<AuditSource> {
  const { first_index: first, end_index: end = reader.total } = run ?? { first_index: 0 };
  return {
    summary: reader.summary,
    runs: run === undefined ? await reader.runs() : [run],
    results: (await reader.results()).filter(({ runId }) => run === undefined || runId === run.run_id),
    entries: async function* () {
      for (let from = first; from < end; from += pageEntries) {
        yield* await reader.read(from, Math.min(from + pageEntries, end));
      }
    },
    events: () => eventsIn(reader.id, reader.lines()),
    decisions: async function* () {
      for await (const line of reader.lines()) if (line.kind === 'decision') yield line.decision;
    },
  };
}
