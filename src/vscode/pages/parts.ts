import * as vscode from 'vscode';
import type { ReportCell, ReportFact, ReportTone } from '../../model/pages/report.ts';

/** Maximum characters of a cell, since content may come from agents. */
const maxCharacters = 4000;
const truncate = (value: string): string =>
  value.length > maxCharacters ? `${value.slice(0, maxCharacters)}…` : value;

export function text(value: string, tone?: ReportTone): ReportCell {
  return tone === undefined ? { text: truncate(value) } : { text: truncate(value), tone };
}

export function code(value: string): ReportCell {
  return { text: truncate(value), code: true };
}

export function numberCell(value: string, sort: number | null): ReportCell {
  return { text: value, sort };
}

export function fact(name: string, value: ReportCell | string): ReportFact {
  return { name, value: typeof value === 'string' ? text(value) : value };
}

/** A button's action: a command of VS Code or of this extension. */
export function command(id: string, ...args: readonly unknown[]): () => Thenable<unknown> {
  return () => vscode.commands.executeCommand(id, ...args);
}
