import * as vscode from 'vscode';
import { claimedRanges, type LineClaim } from '../../insight/files/lineClaims.ts';
import { inertText } from '../text/inertText.ts';
import type { LineStories } from './lineStories.ts';
import { openEntryCommand, stepText, storyHover, storyPrompt } from './lineText.ts';

const { t } = vscode.l10n;

/** Maximum number of lenses per document, because a file that people and agents edited in turns has many ranges. */
const mostLenses = 200;
const mostStories = 3;

/** Hover that explains why a line is there. */
export function hoverProvider(stories: LineStories): vscode.HoverProvider {
  return {
    async provideHover(document, position) {
      const claims = (await stories.claims(document))?.[position.line] ?? [];
      const changed = claims.filter(({ kind }) => kind === 'changed');
      const reported = await Promise.all(changed.slice(0, mostStories).map((claim) => stories.findStory(claim)));
      const known = reported.filter((story) => story !== undefined);
      return known.length === 0 ? undefined : new vscode.Hover(storyHover(known), document.lineAt(position).range);
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
  readonly #stories: LineStories;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(stories: LineStories) {
    this.#stories = stories;
  }

  renew(): void {
    this.#changed.fire();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<LineLens[]> {
    const ranges = claimedRanges((await this.#stories.claims(document)) ?? []);
    return ranges
      .slice(0, mostLenses)
      .flatMap(({ first, claim }) => [new LineLens(first, claim, 'prompt'), new LineLens(first, claim, 'step')]);
  }

  async resolveCodeLens(lens: LineLens): Promise<LineLens> {
    const story = await this.#stories.findStory(lens.claim);
    if (story === undefined) {
      lens.command = { title: t('The session record for this line was deleted'), command: '' };
      return lens;
    }
    const { session, entryIndex, promptIndex, agent } = story;
    const toPrompt = lens.linkTarget === 'prompt' && promptIndex !== undefined;
    const prompt = storyPrompt(story);
    const title = toPrompt
      ? `$(comment) ${prompt === '' ? t('Show Prompt') : prompt}`
      : `$(edit) ${inertText([agent, stepText(story)].filter(Boolean).join(' · '))}`;
    const index = toPrompt ? promptIndex : entryIndex;
    lens.command = { title, command: openEntryCommand, arguments: [session, index] };
    return lens;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
