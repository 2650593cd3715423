import * as vscode from 'vscode';
import { verdictDetails, verdictWording } from '../../engine/audit/verdictWording.ts';
import type { ReportFact } from '../../model/pages/report.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { translated } from '../failures/failureText.ts';
import { command, fact, text } from './parts.ts';
import type { BuiltReport, ReportWork } from './reportKind.ts';
import { sessionFacts } from './sessionFacts.ts';

const { t } = vscode.l10n;

/** Whether a record is as it was written. */
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
        { name: t('Record'), value: text(translated(verdictWording(found)), isWhole ? 'good' : 'error') },
        ...(await aboutSession(engine, id)),
      ],
      actions: [
        actions.add(t('Open Record'), 'go-to-file', openRecord),
        actions.add(t('Export Audit…'), 'export', command('vitrine.exportAudit', id)),
      ],
      sections: [
        {
          title: t('Details'),
          facts: [fact(t('Lines'), String(found.lines))],
          text: verdictDetails(found).map(translated),
        },
      ],
    },
  };
}

/** A record that was changed may no longer open. */
async function aboutSession(engine: WindowEngine, id: string): Promise<ReportFact[]> {
  try {
    const handle = await engine.open(id);
    const facts = sessionFacts(handle.summary());
    handle.dispose();
    return facts;
  } catch {
    return [fact(t('Session ID'), id)];
  }
}
