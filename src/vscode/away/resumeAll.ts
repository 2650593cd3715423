import * as vscode from 'vscode';
import { resumeCost } from '../../insight/away/resumeCost.ts';
import { loadPrices } from '../../insight/prices/prices.ts';
import { quoteSafely } from '../../model/text/visibleText.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { sumText } from '../sessions/rowText.ts';
import type { RunControl } from '../run/runControl.ts';
import { titleOf, type SessionRow } from '../sessions/sessionRow.ts';
import { ownPrices } from '../settings/settings.ts';
import { canStartAgents } from '../settings/trust.ts';

const { t } = vscode.l10n;

/** Maximum number of sessions named in the dialog; the others are counted. */
const maxNamed = 10;

interface ResumeAllDeps {
  readonly engines: EngineHost;
  readonly runs: RunControl;
  readonly now: () => number;
}

/** Resumes interrupted sessions one by one after the user confirms. Returns their ids, and reports failures. */
export async function resumeAll(rows: readonly SessionRow[], deps: ResumeAllDeps): Promise<readonly string[]> {
  if (!canStartAgents()) return [];
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(t('No interrupted sessions in this workspace.'));
    return [];
  }
  const resume = t('Resume All');
  const chosen = await vscode.window.showInformationMessage(
    rows.length === 1 ? t('Resume the interrupted session?') : t('Resume {0} interrupted sessions?', rows.length),
    { modal: true, detail: await detailOf(rows, deps) },
    resume,
  );
  if (chosen !== resume) return [];
  const resumed: string[] = [];
  for (const { session_id: id } of rows) if ((await deps.runs.resume(id, '')) !== undefined) resumed.push(id);
  return resumed;
}

async function detailOf(rows: readonly SessionRow[], { engines, now }: ResumeAllDeps): Promise<string> {
  const engine = await engines.get();
  const ids = new Set(rows.map(({ session_id: id }) => id));
  const summaries = (await engine.list()).filter(({ session_id: id }) => ids.has(id));
  const cost = resumeCost(summaries, await loadPrices(ownPrices()), now());
  const unnamed = rows.length - maxNamed;
  return [
    ...rows.slice(0, maxNamed).map((row) => quoteSafely(titleOf(row))),
    ...(unnamed > 0 ? [t('and {0} more', unnamed)] : []),
    ...(cost === null ? [] : ['', t('Resuming reloads these conversations, which costs about {0}.', sumText(cost))]),
  ].join('\n');
}
