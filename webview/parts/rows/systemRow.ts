import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { PageEntry } from '../../../src/protocol/panel/messages.ts';
import type { Actions } from '../../actions.ts';
import { codicon } from '../../controls.ts';
import { t } from '../../l10n.ts';
import { showAll } from '../../steps/detail.ts';
import { terminal } from '../../steps/terminal.ts';
import { isObject } from '../../text/objects.ts';
import { visibleTemplate } from '../../text/shown.ts';
import { firstWords, plain } from '../../text/visible.ts';
import type { Context } from '../context.ts';

interface Line {
  readonly icon: string;
  readonly verb: string;
  readonly words: string;
  readonly state: 'done' | 'warning' | 'error' | 'raw';
  readonly word: string;
  /** Shown when the row is open. */
  readonly whole: string;
}

/** A line about the run: notes of the program, errors, and unknown lines. */
export function systemRow(context: Context, entry: PageEntry, key: string): TemplateResult {
  const { store, actions } = context;
  const { icon, verb, words, state, word, whole } = lineOf(entry);
  const openable = whole !== '';
  const open = openable && store.expanded.has(key);
  return html`<div class="row" data-s=${state} data-kind="system">
    <button
      class="rb"
      data-focus
      data-toggle=${openable ? 'detail' : 'none'}
      tabindex=${context.focusKey === key ? 0 : -1}
      aria-expanded=${openable ? String(open) : nothing}
      title=${plain(words)}
      @click=${() => (openable ? actions.toggle(key) : undefined)}
    >
      <span class="sr">${[verb, plain(words), plain(word)].filter((part) => part !== '').join(', ')}</span>
      <span class="num"></span>${codicon('chevron-right', openable ? 'tw' : 'tw off')}${codicon(icon, 'k')}
      <span class="tx" aria-hidden="true">
        <span class=${state === 'error' ? 'verb plain' : 'verb'}>${verb}</span>
        ${words === '' ? nothing : html`<span class=${state === 'error' ? 'obj' : 'note'}>${visibleTemplate(words)}</span>`}
      </span>
      <span class="mt" aria-hidden="true"
        >${word === '' ? nothing : html`<span class="word">${visibleTemplate(word)}</span>`}</span
      >
      <span class="dur"></span>${state === 'error' ? codicon('error', 'st') : html`<span class="st"></span>`}
    </button>
    ${
      open
        ? html`<div class="detail">
            <pre class="text" tabindex="0">${terminal(whole)}</pre>
            ${recalledLinks(entry, actions)} ${showAll({ entry, actions })}
          </div>`
        : nothing
    }
  </div>`;
}

const unreported = 'unreported_changes';
const recall = 'recall';

const icons: Readonly<Record<string, string>> = {
  init: 'rocket',
  interrupted: 'debug-disconnect',
  stderr: 'terminal',
  api_retry: 'sync',
  compact_boundary: 'fold',
  budget: 'debug-pause',
  permission_denied: 'circle-slash',
  model_fallback: 'arrow-swap',
  [unreported]: 'eye-watch',
  [recall]: 'history',
  local_command_output: 'terminal',
};

function lineOf(entry: PageEntry): Line {
  const { type, content, metadata } = entry;
  if (type.kind === 'error') return errorLine(entry);
  const named = type.kind === 'system_message' ? (type.subtype ?? '') : '';
  // Agents may print this subtype themselves; only Vitrine's own note counts.
  const subtype = named === recall && entry.origin !== 'system' ? 'info' : named;
  const raw = metadata?.raw;
  if (subtype === 'unknown') {
    return {
      icon: 'json',
      verb: t('1 line not recognized'),
      words: firstWords(content),
      state: 'raw',
      word: t('unrecognized'),
      whole: raw ?? content,
    };
  }
  const words = firstWords(content);
  const hasMore = content.trim() !== words || raw !== undefined;
  return {
    icon: icons[subtype] ?? 'info',
    verb: titleOf(subtype),
    words: subtype === unreported ? unreportedWords(entry) : subtype === recall ? recallWords(entry) : words,
    state:
      subtype === unreported || subtype === 'interrupted' || subtype === 'api_retry' || subtype === 'permission_denied'
        ? 'warning'
        : 'done',
    word: '',
    whole: hasMore ? [content, raw ?? ''].filter((part) => part !== '').join('\n\n') : details(entry),
  };
}

function titleOf(subtype: string): string {
  switch (subtype) {
    case 'init':
      return t('Session started');
    case 'interrupted':
      return t('Interrupted');
    case 'stderr':
      return t('Printed to stderr');
    case 'api_retry':
      return t('API');
    case 'compact_boundary':
      return t('Context');
    case 'budget':
      return t('Budget');
    case unreported:
      return t('Changed without a reported tool call');
    case recall:
      return t('Context from earlier sessions');
    default:
      return plain(subtype.replaceAll('_', ' '));
  }
}

/** The list of files, localized; the text of the note is in English, for the record. */
function unreportedWords({ metadata, content }: PageEntry): string {
  const found = metadata?.['unreported'];
  const changes = isObject(found) && Array.isArray(found['changes']) ? found['changes'] : [];
  const paths = changes.flatMap((change: unknown) =>
    isObject(change) && typeof change['path'] === 'string' ? [change['path']] : [],
  );
  if (!isObject(found) || paths.length === 0) return firstWords(content);
  const total = typeof found['total'] === 'number' ? found['total'] : paths.length;
  const few = paths.slice(0, 3).join(', ');
  return total > 3 ? t('{0} and {1} more', few, total - Math.min(3, paths.length)) : few;
}

/** The source sessions and search terms of the context; the note's own text is the record's. */
function recallWords({ metadata, content }: PageEntry): string {
  const found = metadata?.['recall'];
  if (!isObject(found) || !Array.isArray(found['passages'])) return firstWords(content);
  const titles = found['passages'].flatMap((passage: unknown) =>
    isObject(passage) && typeof passage['title'] === 'string' ? [passage['title']] : [],
  );
  const by = sourceWords(found['query_source']);
  if (by === undefined) return firstWords(content);
  if (titles.length === 0) return t('No matches for {0}', by);
  return t('{0}; found with {1}', [...new Set(titles)].join(', '), by);
}

/** Links to each passage in its session. Only for Vitrine's own notes: output of agents is never a link. */
function recalledLinks(entry: PageEntry, actions: Actions): TemplateResult | typeof nothing {
  const { type, origin, index, metadata } = entry;
  if (type.kind !== 'system_message' || type.subtype !== recall || origin !== 'system') return nothing;
  const found = metadata?.['recall'];
  const passages: readonly unknown[] = isObject(found) && Array.isArray(found['passages']) ? found['passages'] : [];
  const links = passages.flatMap((passage, at) =>
    isObject(passage) && typeof passage['title'] === 'string' && typeof passage['entry'] === 'number'
      ? [{ at, title: passage['title'], entry: passage['entry'] }]
      : [],
  );
  if (links.length === 0) return nothing;
  return html`<ul class="recalled" aria-label=${t('Passages from earlier sessions')}>
    ${links.map(
      ({ at, title, entry: place }) =>
        html`<li>
          <button class="link" @click=${() => actions.openRecalled(index, at)}>
            ${visibleTemplate(title)} <span class="dim">${t('entry {0}', place)}</span>
          </button>
        </li>`,
    )}
  </ul>`;
}

function sourceWords(source: unknown): string | undefined {
  switch (source) {
    case 'current_message':
      return t('the text of this message');
    case 'last_real_user_message':
      return t('your last message');
    case 'conversation_summary':
      return t('the outcome of the conversation');
    default:
      return undefined;
  }
}

/** Fields that only the metadata of a system message has: tools, servers, permission mode. */
function details({ metadata }: PageEntry): string {
  if (metadata === undefined) return '';
  const rest = Object.entries(metadata).filter(([key]) => key !== 'raw' && key !== 'annotations');
  return rest.length === 0 ? '' : rest.map(([key, value]) => `${key}: ${text(value)}`).join('\n');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function errorLine({ type, content, metadata }: PageEntry): Line {
  const error = type.kind === 'error' ? type.error : { message: content };
  const { code, stack, message } = { code: undefined, stack: undefined, ...error };
  const bad = code === 'malformed_line' || code === 'oversize_line';
  const whole = [message, stack, metadata?.raw].filter((part) => part !== undefined && part !== '').join('\n\n');
  return {
    icon: bad ? 'json' : 'warning',
    verb: bad ? (code === 'malformed_line' ? t('Damaged line') : t('Line too long')) : t('Error'),
    words: firstWords(message),
    state: 'error',
    word: bad ? t('unrecognized') : (code ?? ''),
    whole,
  };
}
