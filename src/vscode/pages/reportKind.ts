import type { Report, ReportAction } from '../../model/pages/report.ts';

/** Builds reports of one kind. */
export interface ReportKind {
  /** Tab title while the first report is being built. */
  readonly title: string;
  /** Builds the report. If `work.signal` aborts, the result is dropped. */
  build(argument: string, work: ReportWork): Promise<BuiltReport>;
}

export interface BuiltReport {
  readonly report: Report;
  /** One-word result for the command that opened the page. */
  readonly verdict?: string;
  /** Calls `changed` once, when the report is out of date; it is then rebuilt. Absent: only the reader does that. */
  readonly watch?: (changed: () => void) => { dispose(): void };
}

export interface ReportWork {
  readonly signal: AbortSignal;
  readonly actions: ReportActions;
  /** `share` of completed work, 0 to 1. */
  readonly progress: (text: string, share?: number) => void;
}

type Handler = () => unknown;

/** Buttons of one report, with ids that are unique within the page. */
export class ReportActions {
  readonly #prefix: string;
  readonly #handlers = new Map<string, Handler>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** If `handler` returns (a promise of) `refresh`, the report is rebuilt. */
  add(label: string, icon: string, handler: Handler): ReportAction {
    const id = `${this.#prefix}.${this.#handlers.size}`;
    this.#handlers.set(id, handler);
    return { id, label, icon };
  }

  find(id: string): Handler | undefined {
    return this.#handlers.get(id);
  }
}
