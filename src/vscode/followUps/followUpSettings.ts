import * as vscode from 'vscode';
import type { FollowUpSettings } from '../../insight/followUps/rules.ts';
import { parseFollowUps } from '../../insight/followUps/rules.ts';

/** User settings only: a workspace must not make Vitrine send messages. */
export function followUpSettings(): FollowUpSettings {
  return parseFollowUps(readRawFollowUps()).value;
}

/** Problems in the settings, one line each. */
export function followUpProblems(): readonly string[] {
  return parseFollowUps(readRawFollowUps()).problems;
}

/** Raw value from the user settings. */
export function readRawFollowUps(): unknown {
  return vscode.workspace.getConfiguration('vitrine').inspect<unknown>('followUps')?.globalValue;
}
