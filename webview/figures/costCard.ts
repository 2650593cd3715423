import { tokenKinds } from '../../src/protocol/panel/pageModel.ts';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { PlanLimit } from '../../src/model/usage/planLimit.ts';
import type { Cost, ModelUsage } from '../../src/model/usage/usage.ts';
import type { LedgerCard } from '../../src/protocol/panel/figureMessages.ts';
import type { SessionView } from '../../src/protocol/panel/messages.ts';
import type { Actions } from '../actions.ts';
import { button, codicon } from '../controls.ts';
import { t } from '../l10n.ts';
import { dateTime, duration, formatNumber, usd } from '../text/format.ts';
import { provenanceText } from '../text/provenance.ts';
import { visibleTemplate } from '../text/shown.ts';
import { plain } from '../text/visible.ts';
import { contextText, childrenText, costText, kindText, provenanceIcon, sumText, tokensOf } from './costText.ts';

interface CostCard {
  readonly view: SessionView;
  /** `undefined` until the host has answered. */
  readonly ledger: LedgerCard | undefined;
  readonly actions: Actions;
  readonly now: number;
  readonly close: () => void;
}

interface Line {
  readonly name: unknown;
  readonly run: string;
  readonly session: string;
}

/** All known usage: of this run, the session and its child sessions. */
export function costCard(card: CostCard): TemplateResult {
  const { view, ledger, actions, close } = card;
  const { summary } = view;
  const { cost, total_cost: total } = summary;
  const command = (name: 'showCost' | 'showUsage' | 'verify') => (): void => {
    close();
    actions.command(name);
  };
  return html`<div class="card led" role="dialog" aria-label=${t('Cost of this session')} tabindex="-1">
    <div class="in">
      <table>
        <thead>
          <tr>
            <th scope="col">${t('Tokens')}</th>
            <th scope="col" class="n">${t('This run')}</th>
            <th scope="col" class="n">${t('Session')}</th>
          </tr>
        </thead>
        ${group(tokenLines(card))} ${group(modelLines(ledger))} ${group(costLines(card))} ${group(timeLines(card))}
      </table>
    </div>
    <dl class="ctx">
      <dt>${t('Context')}</dt>
      <dd>${contextText(summary)}</dd>
    </dl>
    ${planLimits(ledger)} ${recordHead(ledger, command('verify'))}
    <ul class="why">
      ${[...reasons(t('This run'), cost), ...reasons(t('Session'), total), ...coverReason(ledger, cost), ...childReason(ledger)]}
    </ul>
    <div class="c-f">
      ${button({ label: t('Open cost report'), look: 'secondary', onClick: command('showCost') })}
      ${button({ label: t('Show usage'), look: 'secondary', onClick: command('showUsage') })}
    </div>
  </div>`;
}

/** The limits of the user's plan, and when they are reset. */
function planLimits(ledger: LedgerCard | undefined): TemplateResult | typeof nothing {
  const limits = ledger?.planLimits ?? [];
  if (limits.length === 0) return nothing;
  return html`<dl class="ctx">
    <dt>${t('Plan limits')}</dt>
    <dd>${limits.map((limit) => html`<div>${limitText(limit)}</div>`)}</dd>
  </dl>`;
}

function limitText({ name: limitName, usedPercent: used, resetsAt }: PlanLimit): string {
  const name = plain(limitName);
  const reset = resetsAt === undefined ? undefined : dateTime(resetsAt);
  if (used === undefined) return reset === undefined ? name : t('{0}: resets {1}', name, reset);
  return reset === undefined ? t('{0}: {1}% used', name, used) : t('{0}: {1}% used, resets {2}', name, used, reset);
}

/** The record's head, to save elsewhere: the hash that covers all lines so far. */
function recordHead(ledger: LedgerCard | undefined, verify: () => void): TemplateResult | typeof nothing {
  const head = ledger?.head ?? null;
  if (head === null) return nothing;
  return html`<dl class="ctx">
    <dt>${t('Record hash')}</dt>
    <dd>
      <code title=${head}>${head.slice(0, shownDigits)}</code>
      ${button({ label: t('Verify Session Record'), icon: 'verified', look: 'icon', onClick: verify })}
    </dd>
  </dl>`;
}

function group(lines: readonly Line[], strong = false): TemplateResult | typeof nothing {
  if (lines.length === 0) return nothing;
  return html`<tbody class=${strong ? 'tot' : ''}>
    ${lines.map(
      ({ name, run, session }) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td class="n">${run}</td>
          <td class="n">${session}</td>
        </tr>`,
    )}
  </tbody>`;
}

const none = '–';
const shownDigits = 16;

function tokenLines({ view: { summary } }: CostCard): Line[] {
  const { usage, total_usage: total } = summary;
  const known = tokenKinds.filter((kind) => usage[kind] !== undefined || total[kind] !== undefined);
  if (known.length === 0) return [{ name: t('All token types'), run: t('not reported'), session: t('not reported') }];
  const count = (value: number | undefined): string => (value === undefined ? none : formatNumber(value));
  return known.map((kind) => ({ name: kindText(kind), run: count(usage[kind]), session: count(total[kind]) }));
}

/** Cost by model if known, otherwise tokens. */
function modelLines(ledger: LedgerCard | undefined): Line[] {
  const [run, session] = [ledger?.models ?? [], ledger?.totalModels ?? []];
  const names = [...new Set([...session, ...run].map(({ model }) => model))];
  const amount = (models: readonly ModelUsage[], name: string): string => {
    const used = models.find(({ model }) => model === name);
    if (used === undefined) return none;
    return used.usd === undefined ? t('{0} tokens', formatNumber(tokensOf(used))) : usd(used.usd);
  };
  return names.map((name) => ({
    name: visibleTemplate(name === 'unknown' ? t('not reported') : name),
    run: amount(run, name),
    session: amount(session, name),
  }));
}

function costLines({ view: { summary }, ledger }: CostCard): Line[] {
  const { cost, total_cost: total } = summary;
  const own = { name: html`<b>${t('Total')}</b>`, run: costText(cost), session: costText(total) };
  if (ledger === undefined || ledger.children === null) return [own];
  const { count, cost: children } = ledger.children;
  return [
    own,
    { name: childrenText(count), run: none, session: sumText(children) },
    { name: t('Including child sessions'), run: none, session: sumText(addCost(children, total)) },
  ];
}

function addCost(sum: NonNullable<LedgerCard['children']>['cost'], cost: Cost): typeof sum {
  if (cost.provenance === 'unknown') return { ...sum, unknown: sum.unknown + 1 };
  const estimated = cost.provenance === 'estimated' ? cost.usd : 0;
  return { ...sum, usd: (sum.usd ?? 0) + cost.usd, estimatedUsd: sum.estimatedUsd + estimated };
}

function timeLines({ view: { summary, turns }, ledger, now }: CostCard): Line[] {
  const time = (ms: number | null | undefined): string =>
    ms === null || ms === undefined ? t('unknown') : duration(ms);
  const count = (value: number | null | undefined): string => String(value ?? t('unknown'));
  const last = turns.at(-1);
  const running = last?.status === 'running';
  const own = running ? now - Date.parse(last.startedAt) : summary.duration;
  return [
    { name: t('Turns'), run: count(ledger?.runTurns), session: count(summary.turns) },
    { name: t('Runs'), run: none, session: formatNumber(summary.runs) },
    { name: t('Duration'), run: time(own), session: time(ledger?.duration) },
    { name: t('API duration'), run: running ? none : time(summary.api_duration), session: time(ledger?.apiDuration) },
  ];
}

function reasons(of: string, cost: Cost): TemplateResult[] {
  return [
    html`<li data-p=${cost.provenance}>
      ${codicon(provenanceIcon[cost.provenance], 'sm')}<span>${provenanceText(of, cost)}</span>
    </li>`,
  ];
}

/** Explanation if tokens and cost cover different calls. */
function coverReason(ledger: LedgerCard | undefined, cost: Cost): TemplateResult[] {
  if (ledger?.tokensOf === undefined) return [];
  const text =
    cost.provenance === 'estimated'
      ? t('Tokens and the estimate cover only the last model call of each turn, because this agent reports no others.')
      : t(
          'Tokens cover only the last model call of each turn, because this agent reports no others. The cost covers all calls.',
        );
  return [html`<li>${codicon('info', 'sm')}<span>${text}</span></li>`];
}

function childReason(ledger: LedgerCard | undefined): TemplateResult[] {
  if (ledger === undefined || ledger.children === null) return [];
  return [html`<li>${codicon('info', 'sm')}<span>${t('Child sessions are not included in these totals.')}</span></li>`];
}
