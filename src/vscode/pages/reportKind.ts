import type { Report, ReportAction } from '../../model/pages/report.ts';

/** Makes the reports of one kind. */
export interface ReportKind {
  /** Of the tab while the first report is made. */
  readonly title: string;
  /** Makes it anew. Where `work.signal` is aborted, what it returns is dropped. */
  build(argument: string, work: ReportWork): Promise<BuiltReport>;
}

export interface BuiltReport {
  readonly report: Report;
  /** In one word, for the command that opened the page. */
  readonly verdict?: string;
}

export interface ReportWork {
  readonly signal: AbortSignal;
  readonly actions: ReportActions;
  /** `share` of the work that is done, 0 to 1. */
  readonly progress: (text: string, share?: number) => void;
}

type Act = () => unknown;

/** The buttons of one report, by ids that no other report of the page has. */
export class ReportActions {
  readonly #prefix: string;
  readonly #acts = new Map<string, Act>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** `act` may give (a promise of) `refresh`: then the report is made again. */
  add(label: string, icon: string, act: Act): ReportAction {
    const id = `${this.#prefix}.${this.#acts.size}`;
    this.#acts.set(id, act);
    return { id, label, icon };
  }

  find(id: string): Act | undefined {
    return this.#acts.get(id);
  }
}
