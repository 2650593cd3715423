import * as vscode from 'vscode';
import { triggerWord } from '../../protocol/panel/triggerWord.ts';
import { visibleText } from '../text/inertText.ts';
import { figures } from '../text/numberFormat.ts';
import type { FollowUpWatch } from './followUpWatch.ts';
import type { DueFollowUp } from './plannedFollowUps.ts';

const { t } = vscode.l10n;

/** Update interval in ms while a follow-up is due. */
const tick = 5000;

/** Status bar item for the next follow-up, or for paused follow-ups; hidden otherwise. */
export class FollowUpItem implements vscode.Disposable {
  readonly #watch: FollowUpWatch;
  readonly #now: () => number;
  readonly #item = vscode.window.createStatusBarItem('vitrine.followUps', vscode.StatusBarAlignment.Left, 9);
  readonly #subscription: vscode.Disposable;
  #clock: NodeJS.Timeout | undefined;

  constructor(watch: FollowUpWatch, now: () => number) {
    this.#watch = watch;
    this.#now = now;
    this.#item.name = t('Vitrine: Follow-ups');
    this.#subscription = watch.onDidChange(() => this.#draw());
    this.#draw();
  }

  dispose(): void {
    clearInterval(this.#clock);
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #draw(): void {
    const due = this.#watch.due();
    const [next] = due;
    if (next === undefined) {
      clearInterval(this.#clock);
      this.#clock = undefined;
    } else this.#clock ??= setInterval(() => this.#draw(), tick);
    if (this.#watch.isPaused) {
      this.#show('$(debug-pause)', t('Follow-ups paused'), [t('Select to resume follow-ups.')], 'resumeFollowUps');
    } else if (next === undefined) this.#item.hide();
    else {
      const dueTime = dueText(next, this.#now());
      const text = due.length === 1 ? t('Follow-up {0}', dueTime) : t('{0} follow-ups, next {1}', due.length, dueTime);
      const lines = due.map(
        (followUp) =>
          `${visibleText(followUp.title)}: ${dueText(followUp, this.#now())}, ${triggerWord(followUp.trigger_type, t)}`,
      );
      this.#show('$(sync)', text, [...lines, t('Select to cancel.')], 'cancelFollowUp');
    }
  }

  #show(icon: string, text: string, lines: readonly string[], command: string): void {
    this.#item.text = `${icon} ${text}`;
    this.#item.tooltip = lines.join('\n');
    this.#item.command = `vitrine.${command}`;
    this.#item.accessibilityInformation = { label: t('Vitrine: {0}', text), role: 'button' };
    this.#item.show();
  }
}

/** Such as `in 9 min 2 s`. */
export function dueText({ at }: Pick<DueFollowUp, 'at'>, now: number): string {
  return t('in {0}', figures.duration(at - now));
}
