import * as vscode from 'vscode';

/** `Nov 27, 2026, 12:51 PM` in VS Code's display language, for an ISO date or epoch milliseconds. */
export function dateTime(at: string | number): string {
  return new Date(at).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}

/** {@link dateTime} with seconds. */
export function exactDateTime(at: string | number): string {
  return new Date(at).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'medium' });
}
