/** A page of findings: text, facts, sortable tables and buttons. All texts are plain, in the reader's language; none is Markdown. */
export interface Report extends ReportBody {
  readonly title: string;
  /** Label of the button that recreates the page, if *Refresh* is not clear enough. */
  readonly refreshLabel?: string;
  readonly sections: readonly ReportSection[];
}

export interface ReportSection extends ReportBody {
  readonly title: string;
  /** Collapsed at first. */
  readonly collapsed?: true;
}

/** Drawn in this order. */
export interface ReportBody {
  /** Paragraphs. */
  readonly text?: readonly string[];
  readonly facts?: readonly ReportFact[];
  readonly tables?: readonly ReportTable[];
  readonly actions?: readonly ReportAction[];
}

export interface ReportFact {
  readonly name: string;
  readonly value: ReportCell;
}

export interface ReportTable {
  /** What the rows are, for a screen reader and above the table. */
  readonly label: string;
  readonly columns: readonly ReportColumn[];
  /** Cells in column order; the first one names the row. */
  readonly rows: readonly (readonly ReportCell[])[];
  /** Below the table, for example what it omits. */
  readonly note?: string;
}

export interface ReportColumn {
  readonly label: string;
  /** Right-aligned; sorted in descending order first. */
  readonly numeric?: true;
}

export interface ReportCell {
  readonly text: string;
  /** Sort key; absent: the text. `null` is always last. */
  readonly sort?: number | string | null;
  /** A path, name or id: shown in the editor's font, with every character visible. */
  readonly code?: true;
  readonly tone?: ReportTone;
  readonly actions?: readonly ReportAction[];
}

export type ReportTone = 'good' | 'warning' | 'error' | 'dim';

export interface ReportAction {
  /** The extension host knows the actions; the page can only ask for one of them. */
  readonly id: string;
  readonly label: string;
  /** Name of a codicon. */
  readonly icon?: string;
}
