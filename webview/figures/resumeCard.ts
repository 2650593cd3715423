import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { ResumeFacts } from '../../src/protocol/panel/figureMessages.ts';
import type { SessionView } from '../../src/protocol/panel/messages.ts';
import type { Actions } from '../actions.ts';
import { button, codicon } from '../controls.ts';
import { plural, t } from '../l10n.ts';
import { relativeTime } from '../text/ago.ts';
import { commandWord } from '../text/commandWords.ts';
import { dateTime } from '../text/format.ts';
import { visibleTemplate } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import { contextText, costText } from './costText.ts';

interface ResumeCard {
  readonly view: SessionView;
  readonly resume: ResumeFacts;
  readonly actions: Actions;
  readonly now: number;
}

/** Card with what the user needs to know before resuming a session that has ended. */
export function resumeCard({ view, resume, actions, now }: ResumeCard): TemplateResult {
  const { can, why } = view;
  return html`<section class="rcard" aria-labelledby="rcard-h">
    <h2 id="rcard-h" data-focus tabindex="-1">${t('Resume this session?')}</h2>
    <p class="lead">${leadText(view)}</p>
    <dl>
      ${part(t('Last activity'), lastActivity(view, resume, now))} ${part(t('Context'), context(view, resume))}
      ${part(t('Cost to resume (cache expired)'), uncachedCost(resume))}
      ${part(t('Not restored'), renderNotRestored(view, resume))}
      ${part(t('Will this resume here?'), resumePlaceText(resume))}
    </dl>
    <div class="bt">
      ${button({
        label: t('Resume'),
        icon: 'play',
        look: 'primary',
        isUnready: !can.resume,
        title: why ?? t('Write the next message'),
        onClick: () => actions.focusComposer(),
      })}
      ${
        view.followUpAt === undefined
          ? nothing
          : button({
              label: commandWord('cancelFollowUp'),
              icon: 'sync-ignored',
              onClick: () => actions.command('cancelFollowUp'),
            })
      }
      ${button({
        label: commandWord('checkResume'),
        icon: 'question',
        onClick: () => actions.command('checkResume'),
      })}
      ${can.resume || why === null ? nothing : html`<span class="dim">${why}</span>`}
    </div>
  </section>`;
}

function leadText({ followUpAt: at }: SessionView): string {
  if (at === undefined) return t('Nothing runs until you send a message.');
  return t(
    'Vitrine will send a follow-up automatically: {0}. Nothing else runs until you send a message.',
    dateTime(at),
  );
}

interface CardValue {
  readonly value: unknown;
  readonly detail?: string;
}

function part(name: string, { value: value, detail: detail }: CardValue): TemplateResult {
  return html`<dt>${name}</dt>
    <dd>${value}${detail === undefined ? nothing : html`<span class="s">${detail}</span>`}</dd>`;
}

function lastActivity({ summary }: SessionView, { lastActivity: at }: ResumeFacts, now: number): CardValue {
  const { synthetic } = summary;
  const own = summary.runs - (synthetic?.runs ?? 0);
  const runs = plural(own, t('{0} run', 1), t('{0} runs'));
  const ownTurns = summary.turns === null ? null : summary.turns - (synthetic?.turns ?? 0);
  const turns = ownTurns === null ? '' : plural(ownTurns, t('{0} turn', 1), t('{0} turns'));
  const left =
    synthetic === undefined ? '' : plural(synthetic.runs, t('{0} automatic run', 1), t('{0} automatic runs'));
  return {
    value: html`<time datetime=${at} title=${dateTime(at)}>${relativeTime(at, now)}</time>, ${dateTime(at)}`,
    detail: [runs, turns, left].filter((fact) => fact !== '').join(' · '),
  };
}

function context({ summary }: SessionView, { compactions }: ResumeFacts): CardValue {
  const text = contextText(summary);
  if (compactions === 0) return { value: text };
  const detail = plural(
    compactions,
    t('Compacted once: the agent has only a summary of earlier messages.'),
    t('Compacted {0} times: the agent has only a summary of earlier messages.'),
  );
  return { value: text, detail: detail };
}

function uncachedCost({ cold: cost, known }: ResumeFacts): CardValue {
  if (!known) return { value: t('Nothing to reload'), detail: t('The agent did not report a conversation ID.') };
  if (cost.provenance === 'unknown') return { value: t('unknown'), detail: plain(cost.reason) };
  const from = cost.provenance === 'estimated' ? cost.priceTable : { name: '', date: '' };
  return {
    value: t('{0} before the first response', costText(cost)),
    detail: t(
      'If the cache has expired, the agent reloads the whole conversation. Estimated with price table {0} from {1}.',
      from.name,
      from.date,
    ),
  };
}

function renderNotRestored({ summary }: SessionView, { background, cutOff, allowed, known }: ResumeFacts): CardValue {
  const line = (icon: string, text: unknown): TemplateResult => html`<li>${codicon(icon)}<span>${text}</span></li>`;
  const lines = [
    ...(known ? [] : [line('history', t('The conversation: the next run starts without it.'))]),
    ...background.map((command) =>
      line('terminal', html`${t('Background command')}: <code>${visibleTemplate(command)}</code>`),
    ),
    ...(cutOff === 0
      ? []
      : [line('debug-disconnect', plural(cutOff, t('{0} interrupted call', 1), t('{0} interrupted calls')))]),
    ...(allowed === 0
      ? []
      : [
          line(
            'shield',
            plural(
              allowed,
              t('{0} approval that applied only to the last run', 1),
              t('{0} approvals that applied only to the last run'),
            ),
          ),
        ]),
  ];
  return {
    value:
      lines.length === 0
        ? t('not recorded')
        : html`<ul>
            ${lines}
          </ul>`,
    detail: t(
      'The agent stores the conversation itself, for this user and folder on {0}.',
      summary.hostname ?? t('this machine'),
    ),
  };
}

function resumePlaceText({ here: { verdict, word, reasons } }: ResumeFacts): CardValue {
  const detail = reasons.map((reason) => plain(reason)).join(' ');
  const icon = verdict === 'yes' ? codicon('pass', 'ok') : codicon('warning', 'warn');
  return { value: html`${icon} ${word}`, ...(detail !== '' && { detail: detail }) };
}
