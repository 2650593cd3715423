import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { StepLine, TrajectoryLine } from '../../../src/protocol/panel/viewMessages.ts';
import { codicon } from '../../controls.ts';
import { bodyOf } from '../../store/documents.ts';
import { plural, t } from '../../l10n.ts';
import type { Context } from '../../parts/context.ts';
import { stepDetail } from '../../steps/detail.ts';
import { stateIcons } from '../../steps/state.ts';
import { terminal } from '../../steps/terminal.ts';
import { duration, formatNumber, time } from '../../text/format.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { counts, laneName, lineState, momentWord, repeatText, stateSentence, stepSubject } from './stepWords.ts';

type Fact = readonly [name: string, value: unknown] | undefined;

/** Details of the selected line. `go` selects another step. */
export function stepPane(
  context: Context,
  line: TrajectoryLine | undefined,
  go: (entryIndex: number) => void,
): TemplateResult {
  return html`<aside class="pane" aria-label=${t('Step details')}>
    ${line === undefined ? html`<p class="none">${t('No step selected')}</p>` : stepFacts(context, line, go)}
  </aside>`;
}

function stepFacts(context: Context, line: TrajectoryLine, go: (entryIndex: number) => void): TemplateResult {
  if (line.type === 'lane') {
    return html`${head(laneName(line), false)}${facts([
      line.number === null ? undefined : [t('Started by'), t('step {0}', line.number)],
      line.title === '' ? undefined : [t('Task'), visibleTemplate(line.title)],
      [t('Steps'), plural(line.steps, t('{0} step', 1), t('{0} steps'))],
      line.rows === line.steps ? undefined : [t('Messages'), formatNumber(line.rows - line.steps)],
      [t('Duration'), duration(line.duration)],
    ])}`;
  }
  const started: Fact =
    line.startedAt === null ? undefined : [t('Started'), time(new Date(line.startedAt).toISOString())];
  const link = html`<div class="lnk">
    <button class="link" @click=${() => context.actions.reveal(line.entryIndex)}>${t('Show in transcript')}</button>
  </div>`;
  if (line.type !== 'step') {
    return html`${head(momentWord(line.type), false)}${facts([
      [t('Turn'), line.turn],
      started,
      [t('Duration'), duration(line.duration)],
    ])}${stepContent(context, line.entryIndex)}${link}`;
  }
  const { name, folder } = stepSubject(line, context.store.view?.summary.project_dir);
  const state = lineState(context, line);
  const changed = counts(line);
  return html`${head(name, line.path === null)}
  ${facts([
    [
      t('State'),
      html`<span class="ici" data-s=${state}>${codicon(stateIcons[state])}${stateSentence(state, line)}</span>`,
    ],
    [t('Step'), t('{0}, turn {1}', line.number, line.turn)],
    [t('Tool'), visibleTemplate(line.toolName)],
    folder === '' ? undefined : [t('Folder'), visibleTemplate(folder)],
    changed === '' ? undefined : [t('Lines'), changed],
    started,
    line.durationMs === null ? undefined : [t('Duration'), duration(line.durationMs)],
    line.group === null ? undefined : [t('Ran'), t('in parallel with others')],
    line.repeats === null ? undefined : [t('Repeats'), evidence(line, go)],
  ])}
  ${detail(context, line)}${link}`;
}

function head(title: string, mono: boolean): TemplateResult {
  return html`<div class="ph"><h2 class="tt ${mono ? 'mono' : ''}">${visibleTemplate(title)}</h2></div>`;
}

function facts(all: readonly Fact[]): TemplateResult {
  return html`<dl class="facts">
    ${all.map((fact) =>
      fact === undefined
        ? nothing
        : html`<dt>${fact[0]}</dt>
            <dd>${fact[1]}</dd>`,
    )}
  </dl>`;
}

/** Why the step is marked, with links to the repeated steps. */
function evidence(
  { repeats, entryIndex }: StepLine,
  go: (entryIndex: number) => void,
): TemplateResult | typeof nothing {
  if (repeats === null) return nothing;
  const others = repeats.steps.filter((step) => step.entryIndex !== entryIndex);
  const left = repeats.count - repeats.steps.length;
  return html`${repeatText(repeats)}<br />${others.map(
      (step) => html`<button class="link" @click=${() => go(step.entryIndex)}>${t('Step {0}', step.number)}</button> `,
    )}${left > 0 ? t('and {0} more', left) : nothing}`;
}

function detail(context: Context, line: StepLine): TemplateResult {
  const { store, actions } = context;
  const entry = store.entry(line.entryIndex);
  if (entry?.type.kind !== 'tool_use') return html`<p class="none">${t('Loading…')}</p>`;
  const projectDir = store.view?.summary.project_dir;
  const showsAllLines = store.expanded.has(`d:${entry.index}`);
  return html`<div class="detail">
    ${stepDetail({ entry, tool: entry.type.tool, projectDir, actions, showsAllLines })}
  </div>`;
}

function stepContent({ store }: Context, index: number): TemplateResult {
  const entry = store.entry(index);
  if (entry === undefined) return html`<p class="none">${t('Loading…')}</p>`;
  return html`<div class="detail"><pre class="text" tabindex="0">${terminal(bodyOf(entry))}</pre></div>`;
}
