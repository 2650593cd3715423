import * as vscode from 'vscode';

const toMinute = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
const toSecond = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'medium' });

/** `Nov 27, 2026, 12:51 PM` in VS Code's display language, for an ISO date or epoch milliseconds. */
export function dateTime(at: string | number): string {
  return toMinute.format(new Date(at));
}

/** {@link dateTime} with seconds. */
export function exactDateTime(at: string | number): string {
  return toSecond.format(new Date(at));
}
