import type { PageEntry, SessionView } from '../../src/protocol/panel/messages.ts';
import { t } from '../l10n.ts';
import { statusOf } from '../parts/header/header.ts';
import { attentionText } from '../request/approvalText.ts';
import { agentName } from '../text/shown.ts';
import { quoted } from '../../src/protocol/panel/pageModel.ts';
import { plain } from '../text/visible.ts';

const longest = 1000;
/** Announcements within this time are combined, in ms. */
const together = 100;

/** Announcements for screen readers: each complete reply once, and starts and ends of runs. */
export class Announcer {
  readonly #liveRegion: HTMLElement;
  readonly #alert: HTMLElement;
  readonly #announcedReplies = new Set<number>();
  readonly #announcedRequests = new Set<string>();
  readonly #texts: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #status: string | undefined;

  constructor(polite: HTMLElement, alert: HTMLElement) {
    this.#liveRegion = polite;
    this.#alert = alert;
  }

  /** Simultaneous announcements are combined, because a live region only speaks its final content. */
  announce(text: string): void {
    this.#texts.push(text);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#liveRegion.textContent = this.#texts.splice(0).join('\n');
    }, together);
  }

  /** A complete entry; `fresh` if it arrived while the page was open. */
  announceSettled({ index, type, content, metadata }: PageEntry): void {
    if (type.kind !== 'assistant_message' || metadata?.parentCallId !== undefined || this.#announcedReplies.has(index))
      return;
    this.#announcedReplies.add(index);
    if (metadata?.['aborted'] === true) return;
    const text = plain(content.replace(/[`*_#>|]/g, '').trim());
    if (text === '') return;
    this.announce(t('Agent: {0}', text.length > longest ? `${text.slice(0, longest)}…` : text));
  }

  view(view: SessionView): void {
    const { id, word } = statusOf(view);
    const before = this.#status;
    this.#status = id;
    const requests = view.conversation?.requests ?? [];
    const fresh = requests.filter((request) => !this.#announcedRequests.has(request.id));
    for (const request of fresh) this.#announcedRequests.add(request.id);
    if (before === undefined) return;
    const [first] = fresh;
    if (first !== undefined)
      this.#alert.textContent = `${attentionText(first)}. ${t('{0} says: {1}', agentName(view), plain(quoted(first.title), 'code'))}`;
    if (before === id || id === 'approval') return;
    if (id === 'failed') this.#alert.textContent = word;
    else this.announce(word);
  }
}
