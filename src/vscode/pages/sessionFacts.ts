import * as vscode from 'vscode';
import type { ReportFact } from '../../model/pages/report.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { titleOf } from '../sessions/sessionRow.ts';
import { code, fact } from './parts.ts';

const { t } = vscode.l10n;

/** Facts that identify a report's session. */
export function sessionFacts(summary: SessionSummary): ReportFact[] {
  const agent = [summary.agent_label, summary.agent_version].filter((part) => part !== null).join(' ');
  return [
    fact(t('Session'), titleOf(summary)),
    fact(t('Session ID'), code(summary.session_id)),
    fact(t('Agent'), agent),
  ];
}
