import * as z from 'zod';
import type { Report } from '../../model/pages/report.ts';
import type { Envelope } from '../panel/messages.ts';

/** Which report a page shows. The page keeps it, so that the window can open it again after a reload. */
export interface ReportKey {
  readonly kind: string;
  /** An id within the kind, such as a session's; may be empty. */
  readonly argument: string;
}

interface CommonFields {
  readonly key: ReportKey;
  /** Title of the page before it has a report. */
  readonly title: string;
  readonly l10n: Readonly<Record<string, string>>;
  readonly locale: string;
}

/** Each message is a complete state of the page and starts a generation. */
export type ToReportPage = CommonFields &
  (
    | { readonly type: 'report'; readonly report: Report }
    /** `share` of the finished work, 0 to 1; `null` if unknown. `report` is the previous one, if any. */
    | { readonly type: 'working'; readonly text: string; readonly share: number | null; readonly report: Report | null }
    | { readonly type: 'failed'; readonly message: string }
    | { readonly type: 'cancelled' }
  );

export type FromReportPage =
  | { readonly type: 'ready' }
  /** `id` of one of the report's actions. */
  | { readonly type: 'act'; readonly id: string }
  | { readonly type: 'refresh' }
  | { readonly type: 'cancel' }
  | { readonly type: 'copyMarkdown' };

const fromPage = z.object({
  generation: z.number().int(),
  seq: z.number().int(),
  message: z.discriminatedUnion('type', [
    z.object({ type: z.literal('ready') }),
    z.object({ type: z.literal('act'), id: z.string().max(40) }),
    z.object({ type: z.literal('refresh') }),
    z.object({ type: z.literal('cancel') }),
    z.object({ type: z.literal('copyMarkdown') }),
  ]),
});

/** A message of the page; `undefined` for anything else. */
export function parseFromReportPage(data: unknown): Envelope<FromReportPage> | undefined {
  return fromPage.safeParse(data).data;
}

const savedStateSchema = z.object({ key: z.object({ kind: z.string().max(40), argument: z.string().max(400) }) });

/** The report that a page showed before the window was reloaded. */
export function savedReportKey(state: unknown): ReportKey | undefined {
  return savedStateSchema.safeParse(state).data?.key;
}
