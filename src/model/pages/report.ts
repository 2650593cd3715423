/** A page of findings: text, facts, sortable tables and buttons. All texts are plain, in the reader's language; none is Markdown. */
export interface Report extends ReportBody {
  readonly title: string;
  /** Of the button that makes it again, where *Refresh* says too little. */
  readonly refreshLabel?: string;
  readonly sections: readonly ReportSection[];
}

export interface ReportSection extends ReportBody {
  readonly title: string;
  /** The reader opens it where it matters. */
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
  /** Cells in the order of the columns; the first one names the row. */
  readonly rows: readonly (readonly ReportCell[])[];
  /** Below the table, such as what it leaves out. */
  readonly note?: string;
}

export interface ReportColumn {
  readonly label: string;
  /** Right-aligned, and sorted from the highest down first. */
  readonly numeric?: true;
}

export interface ReportCell {
  readonly text: string;
  /** By what its column is sorted; absent: by its text. `null` comes last either way. */
  readonly sort?: number | string | null;
  /** A path, a name or an id: set in the editor's font, and every character in it is made visible. */
  readonly code?: true;
  readonly tone?: ReportTone;
  readonly actions?: readonly ReportAction[];
}

export type ReportTone = 'good' | 'warning' | 'error' | 'dim';

export interface ReportAction {
  /** Known to the extension host alone; the page can ask for nothing else. */
  readonly id: string;
  readonly label: string;
  /** Name of a codicon. */
  readonly icon?: string;
}
