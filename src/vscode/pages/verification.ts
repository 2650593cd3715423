import * as vscode from 'vscode';
import { signatureWording, verdictWording } from '../../engine/audit/verdictWording.ts';
import type { VerificationReport } from '../../engine/audit/verify.ts';
import type { ReportFact } from '../../model/pages/report.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { translateWording } from '../failures/failureText.ts';
import { figures } from '../text/numberFormat.ts';
import { code, command, fact, text } from './parts.ts';
import type { BuiltReport, ReportWork } from './reportKind.ts';
import { sessionFacts } from './sessionFacts.ts';
import { exactDateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

/** Whether a record is unchanged. */
export async function verificationReport(
  engine: WindowEngine,
  id: string,
  { actions, progress }: ReportWork,
): Promise<BuiltReport> {
  progress(t('Verifying…'));
  const found = await engine.archive.verify(id);
  const isWhole = found.verdict === 'intact' && found.signature?.state !== 'bad';
  const line = Math.max(0, (found.breaks[0]?.line ?? 1) - 1);
  const openRecord = async (): Promise<void> => {
    await engine.archive.unpack(id);
    const selection = new vscode.Range(line, 0, line, 0);
    await vscode.window.showTextDocument(vscode.Uri.file(engine.recordPath(id)), { selection, preview: true });
  };
  return {
    verdict: found.verdict,
    report: {
      title: t('Record Verification'),
      refreshLabel: t('Check Again'),
      facts: [
        { name: t('Record'), value: text(translateWording(verdictWording(found)), isWhole ? 'good' : 'error') },
        ...(await sessionFactsOf(engine, id)),
      ],
      actions: [
        actions.add(t('Open Record'), 'go-to-file', openRecord),
        actions.add(t('Export Audit…'), 'export', command('vitrine.exportAudit', id)),
      ],
      sections: [
        {
          title: t('Details'),
          facts: details(found),
        },
      ],
    },
  };
}

function details({ lines, head, kept: synced, breaks, damaged, signature }: VerificationReport): ReportFact[] {
  const listed = (numbers: readonly number[]): string => numbers.map((number) => figures.count(number)).join(', ');
  return [
    fact(t('Lines'), figures.count(lines)),
    ...(head === null ? [] : [fact(t('Hash'), code(head))]),
    fact(t('Synced to disk'), lastSyncText(synced)),
    ...(breaks.length > 1 ? [fact(t('Lines with a broken hash chain'), listed(breaks.map(({ line }) => line)))] : []),
    ...(damaged.length > 0 ? [fact(t('Lines truncated by a crash (not tampering)'), listed(damaged))] : []),
    fact(t('Signature'), translateWording(signatureWording(signature))),
  ];
}

function lastSyncText(synced: VerificationReport['kept']): string {
  if (synced === null) return t('unknown: without record.head, a missing end cannot be detected');
  const time = exactDateTime(synced.at);
  return synced.line === null
    ? t('{0}, with a line that is now missing', time)
    : t('{0}, up to line {1}', time, figures.count(synced.line));
}

/** A changed record may fail to open. */
async function sessionFactsOf(engine: WindowEngine, id: string): Promise<ReportFact[]> {
  try {
    const handle = await engine.open(id);
    const facts = sessionFacts(handle.summary());
    handle.dispose();
    return facts;
  } catch {
    return [fact(t('Session ID'), id)];
  }
}
