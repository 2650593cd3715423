import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import type { SessionView } from '../../../src/protocol/panel/messages.ts';
import { badge, button, codicon } from '../../controls.ts';
import { t } from '../../l10n.ts';
import { attentionSummary } from '../../request/approvalText.ts';
import { budgetFigures } from '../../text/budget.ts';
import { clock } from '../../text/format.ts';
import { isBypassMode, modeWord } from '../../text/mode.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { plain } from '../../text/visible.ts';
import type { Context } from '../context.ts';
import { costBlock } from './costBlock.ts';
import { detailChoice, followUpChoice, goToPromptLabel, automaticMessagesSelect } from './detailChoice.ts';
import { menuButton, type MenuState } from './menu.ts';
import { renderTabs, type TabsState } from '../../views/tabs.ts';

interface Status {
  readonly id:
    'running' | 'approval' | 'waiting' | 'idle' | 'finished' | 'failed' | 'stopped' | 'paused' | 'interrupted' | 'none';
  readonly icon: string;
  readonly word: string;
}

/** State of the session, always an icon and a word. */
export function statusOf({ summary, conversation }: SessionView): Status {
  if (summary.status === 'stopping') return { id: 'running', icon: 'loading', word: t('Stopping') };
  const requests = conversation?.requests ?? [];
  if (requests.length > 0) return { id: 'approval', icon: 'shield', word: attentionSummary(requests) };
  const { observed } = summary;
  if (observed !== undefined && observed.live.state !== 'ended') return observedStatus(observed.live.state);
  if (summary.status === 'running' || summary.status === 'pending') {
    return { id: 'running', icon: 'loading', word: summary.status === 'pending' ? t('Starting') : t('Running') };
  }
  switch (summary.outcome) {
    case 'completed':
      return { id: 'finished', icon: 'pass', word: t('Finished') };
    case 'failed': {
      const word = summary.reason === undefined ? t('Failed') : t('Failed: {0}', plain(summary.reason));
      return { id: 'failed', icon: 'error', word };
    }
    case 'stopped':
      if (summary.budget?.reached !== undefined) {
        return { id: 'paused', icon: 'debug-pause', word: t('Paused: {0}', budgetFigures(summary.budget.reached)) };
      }
      return { id: 'stopped', icon: 'stop-circle', word: t('Stopped') };
    case 'interrupted':
      return { id: 'interrupted', icon: 'debug-disconnect', word: t('Interrupted') };
    case 'none':
      return { id: 'none', icon: 'circle-large-outline', word: t('Not started') };
  }
}

function observedBadge(isJoined: boolean): TemplateResult {
  const title = isJoined
    ? t('Started by another program; you can answer here or there')
    : t('Started by another program; read-only here');
  return html`<span class="recording" title=${title}>${badge(isJoined ? t('Joined') : t('Watched'))}</span>`;
}

/** For an agent in another program, where its request is answered. */
function observedStatus(state: 'running' | 'waiting_for_permission' | 'waiting_for_you' | 'idle'): Status {
  switch (state) {
    case 'running':
      return { id: 'running', icon: 'loading', word: t('Running') };
    case 'waiting_for_permission':
      return { id: 'waiting', icon: 'shield', word: t('Waiting for permission') };
    case 'waiting_for_you':
      return { id: 'waiting', icon: 'shield', word: t('Waiting for you') };
    case 'idle':
      return { id: 'idle', icon: 'circle-filled', word: t('Idle') };
  }
}

export interface HeaderState extends MenuState {
  readonly isFollowing: boolean;
  readonly tabs: TabsState;
}

/** Empty while the model may still be reported. */
function modelName({ model, status, runs }: SessionSummary): TemplateResult | typeof nothing {
  if (model !== null) return html` · ${visibleTemplate(model)}`;
  const over = status === 'finished' || status === 'stopped';
  return runs > 0 && over ? html`<span class="ver"> · ${t('model not reported')}</span>` : nothing;
}

export function header(context: Context, view: SessionView, state: HeaderState): TemplateResult {
  const { summary } = view;
  const title = summary.title ?? summary.prompt;
  return html`<header class="hd">
    <div class="hd-a">
      <h1 class="title" title=${plain(title)}>${visibleTemplate(title.split('\n', 1)[0] ?? '')}</h1>
      <span class="agent">
        ${visibleTemplate(summary.agent_label)}${
          summary.agent_version === null
            ? nothing
            : html`<span class="ver"> ${visibleTemplate(summary.agent_version)}</span>`
        }${modelName(summary)}
      </span>
      <span class="acts">${renderPrimaryAction(context, view)}${menuButton(context, state)}</span>
    </div>
    <div class="hd-b">${statusLine(context, view)}${costBlock(context, summary)}</div>
    ${renderTools(context, state)}
  </header>`;
}

function renderPrimaryAction({ actions }: Context, { can }: SessionView): TemplateResult | typeof nothing {
  if (can.stop) {
    return button({
      id: 'primary',
      label: t('Stop'),
      icon: 'debug-stop',
      look: 'primary',
      onClick: () => actions.stop(),
    });
  }
  if (!can.send && can.fork === true) {
    return button({
      id: 'primary',
      look: 'primary',
      label: t('Fork…'),
      icon: 'repo-forked',
      onClick: () => actions.command('fork'),
    });
  }
  if (!can.resume) return nothing;
  const resume = { label: t('Resume'), icon: 'play', onClick: () => actions.focusComposer() };
  return button({ id: 'primary', look: 'primary', ...resume });
}

function statusLine(context: Context, view: SessionView): TemplateResult {
  const { summary } = view;
  const status = statusOf(view);
  const mode = summary.permission_mode;
  const bypass = mode !== null && isBypassMode(mode);
  return html`${status.id === 'approval' ? waitingStatus(context, status) : plainStatus(context, view, status)}
  ${summary.observed === undefined ? nothing : observedBadge(view.conversation !== null)}
  ${summary.recording ? html`<span class="recording" title=${t('Replayed from a recording, not from a live agent')}>${badge(t('Recording'))}</span>` : nothing}
  ${
    mode === null
      ? nothing
      : html`<span class="sep ${bypass ? '' : 'o2'}">·</span>
          <span class=${bypass ? 'mode bypass' : 'mode o2'} title=${t('Permission mode: {0}', mode)}>
            ${bypass ? codicon('warning', 'sm') : nothing}${modeWord(mode)}
          </span>`
  }
  ${sessionId(context, view)}`;
}

function plainStatus(context: Context, { summary, turns }: SessionView, status: Status): TemplateResult {
  const started = Date.parse(turns.at(-1)?.startedAt ?? summary.last_resumed_at ?? summary.created_at);
  return html`<span class="status" data-s=${status.id} title=${status.word}>
    ${codicon(status.icon, status.id === 'running' ? 'spin' : '')}
    <span class="word">${status.word}</span>
    ${
      status.id === 'running' && Number.isFinite(started)
        ? html`<time role="timer" aria-live="off">${clock(context.now - started)}</time>`
        : nothing
    }
  </span>`;
}

/** Jumps to the waiting request. Its accessible name has no clock, so that screen readers do not repeat it. */
function waitingStatus({ requests, actions, now }: Context, { word, icon }: Status): TemplateResult {
  const since = Date.parse(requests.waiting[0]?.asked_at ?? '');
  return html`<button class="status" data-s="approval" title=${t('Go to the request')} @click=${() => actions.review()}>
    ${codicon(icon)}<span class="word">${word}</span>
    ${Number.isFinite(since) ? html`<time aria-hidden="true">${clock(now - since)}</time>` : nothing}
  </button>`;
}

function sessionId({ actions }: Context, { summary }: SessionView): TemplateResult {
  const id = summary.executor_session_id ?? summary.session_id;
  const short = id.replace(/^ses_/, '').slice(0, 8);
  return html`<span class="sep o1">·</span>
    <span class="sid o1" title=${plain(id)}>
      <span class="mono">${visibleTemplate(short)}</span>
      ${button({ label: t('Copy session ID'), icon: 'copy', look: 'icon', onClick: () => actions.command('copySessionId') })}
    </span>`;
}

function renderTools(
  { actions, store }: Context,
  { isFollowing: isFollowing, tabs: state }: HeaderState,
): TemplateResult {
  return html`<div class="tabs">
    ${renderTabs(t('Views'), state)}
    <span class="tools" ?hidden=${state.active !== 'transcript'}>
      ${detailChoice(store.level, actions)} ${followUpChoice(store, actions)} ${automaticMessagesSelect(store, actions)}
      ${button({ label: goToPromptLabel(), icon: 'list-selection', look: 'icon', onClick: () => actions.pickPrompt() })}
      ${button({ label: t('Find'), icon: 'search', look: 'icon', onClick: () => actions.find() })}
      ${button({ label: t('Collapse all'), icon: 'collapse-all', look: 'icon', onClick: () => actions.collapseAll() })}
      ${button({
        label: isFollowing ? t('Following new entries') : t('Go to the end'),
        icon: 'arrow-down',
        look: 'icon',
        pressed: isFollowing,
        onClick: () => actions.scrollToEnd(),
      })}
    </span>
  </div>`;
}
