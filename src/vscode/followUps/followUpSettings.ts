import * as vscode from 'vscode';
import type { FollowUpSettings } from '../../insight/followUps/rules.ts';
import { parseFollowUps } from '../../insight/followUps/rules.ts';

/** The user's alone: no workspace can have an agent spoken to unasked, but by the file of an agent that a person runs. */
export function followUpSettings(): FollowUpSettings {
  return parseFollowUps(writtenFollowUps()).value;
}

/** What in them is mistyped, one line each. */
export function followUpProblems(): readonly string[] {
  return parseFollowUps(writtenFollowUps()).problems;
}

/** As the user wrote them. */
export function writtenFollowUps(): unknown {
  return vscode.workspace.getConfiguration('vitrine').inspect<unknown>('followUps')?.globalValue;
}
