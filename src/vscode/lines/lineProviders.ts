import * as vscode from 'vscode';
import { claimedRanges, type LineClaim } from '../../insight/files/lineClaims.ts';
import { inertText } from '../text/inertText.ts';
import type { LineOrigins } from './lineOrigins.ts';
import { openEntryCommand, stepText, lineOriginHover, originPrompt } from './lineText.ts';

const { t } = vscode.l10n;

/** Maximum number of lenses per document, because a file that people and agents edited in turns has many ranges. */
const maxLenses = 200;
const maxOrigins = 3;

/** Hover that explains why a line is there. */
export function hoverProvider(origins: LineOrigins): vscode.HoverProvider {
  return {
    async provideHover(document, position) {
      const claims = (await origins.claims(document))?.[position.line] ?? [];
      const changed = claims.filter(({ kind }) => kind === 'changed');
      const reported = await Promise.all(changed.slice(0, maxOrigins).map((claim) => origins.findOrigin(claim)));
      const known = reported.filter((origin) => origin !== undefined);
      return known.length === 0 ? undefined : new vscode.Hover(lineOriginHover(known), document.lineAt(position).range);
    },
  };
}

class LineLens extends vscode.CodeLens {
  readonly claim: LineClaim;
  readonly linkTarget: 'prompt' | 'step';

  constructor(line: number, claim: LineClaim, leadsTo: 'prompt' | 'step') {
    super(new vscode.Range(line, 0, line, 0));
    this.claim = claim;
    this.linkTarget = leadsTo;
  }
}

/** CodeLenses above lines that one step wrote: the prompt and the step. */
export class LineLenses implements vscode.CodeLensProvider<LineLens>, vscode.Disposable {
  readonly #origins: LineOrigins;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(origins: LineOrigins) {
    this.#origins = origins;
  }

  renew(): void {
    this.#changed.fire();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<LineLens[]> {
    const ranges = claimedRanges((await this.#origins.claims(document)) ?? []);
    return ranges
      .slice(0, maxLenses)
      .flatMap(({ first, claim }) => [new LineLens(first, claim, 'prompt'), new LineLens(first, claim, 'step')]);
  }

  async resolveCodeLens(lens: LineLens): Promise<LineLens> {
    const origin = await this.#origins.findOrigin(lens.claim);
    if (origin === undefined) {
      lens.command = { title: t('The session record for this line was deleted'), command: '' };
      return lens;
    }
    const { session, entryIndex, promptIndex, agent } = origin;
    const toPrompt = lens.linkTarget === 'prompt' && promptIndex !== undefined;
    const prompt = originPrompt(origin);
    const title = toPrompt
      ? `$(comment) ${prompt === '' ? t('Show Prompt') : prompt}`
      : `$(edit) ${inertText([agent, stepText(origin)].filter(Boolean).join(' · '))}`;
    const index = toPrompt ? promptIndex : entryIndex;
    lens.command = { title, command: openEntryCommand, arguments: [session, index] };
    return lens;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
