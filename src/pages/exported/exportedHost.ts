import { evidenceOf } from '../../insight/citations/sources/evidence.ts';
import { SessionLinks } from '../../insight/citations/sessionLinks.ts';
import { matchesOperators } from '../../insight/search/facts.ts';
import { parseQuery } from '../../insight/search/query.ts';
import type { MessageFigure, MissingFigure } from '../../model/usage/messageFigure.ts';
import type { Turn } from '../../model/session/turn.ts';
import { StepNumbers } from '../../model/transcript/steps.ts';
import { Channel } from '../../protocol/channel.ts';
import type { EvidenceCard } from '../../protocol/panel/evidence.ts';
import type { Envelope, FromPage, PageEntry, Packet } from '../../protocol/panel/messages.ts';
import { pageEntry, wholeEntry } from '../../protocol/panel/pageEntries.ts';
import { UpdateFeed } from '../../protocol/panel/updateFeed.ts';
import { evidenceCard, pageLink } from '../session/evidenceView.ts';
import { SessionViews } from '../session/sessionViews.ts';
import { sourcesPage } from '../session/sourcesPage.ts';
import type { ExportedSession } from './exportedSession.ts';
import { ledgerOf, turnsOf, viewOf } from './exportedView.ts';

/** Entries that the page gets at once; of a longer session, it asks for the others. */
const firstEntries = 2000;
const maxFoundEntries = 1000;
/** Entries that are searched for sources before the page has its turn. */
const entriesAtOnce = 100;

/** What only a browser can do. */
export interface BrowserActions {
  readonly post: (envelope: unknown) => void;
  readonly copy: (text: string) => void;
  readonly openLink: (url: string) => void;
}

/** Answers the page from an exported session, as VS Code does from a record. Nothing can be changed. */
export class ExportedHost {
  readonly #session: ExportedSession;
  readonly #browser: BrowserActions;
  readonly #channel: Channel<Packet, FromPage>;
  readonly #feed: UpdateFeed;
  readonly #steps = new StepNumbers();
  readonly #links: SessionLinks;
  readonly #views: SessionViews;
  readonly #turns: readonly Turn[];
  #sources: Promise<void> | undefined;
  readonly #figures = new Map<number, MessageFigure | MissingFigure>();

  constructor(session: ExportedSession, browser: BrowserActions) {
    this.#session = session;
    this.#browser = browser;
    this.#channel = new Channel<Packet, FromPage>({
      post: browser.post,
      deliver: (message) => void this.#handleMessage(message),
    });
    this.#feed = new UpdateFeed(this.#channel);
    this.#links = new SessionLinks(session.summary.project_dir ?? '');
    for (const entry of session.entries) this.#steps.add(entry);
    for (const { entries, figure } of session.figures) {
      for (const [at, index] of entries.entries()) this.#figures.set(index, at === 0 ? figure : 'counted_before');
    }
    this.#turns = turnsOf(session);
    this.#views = new SessionViews(
      {
        entryCount: () => session.entries.length,
        read: (from, to) => Promise.resolve(session.entries.slice(from, to)),
        turns: () => this.#turns,
        isLive: () => false,
        summary: () => session.summary,
      },
      (answer) => this.#channel.send(answer),
    );
  }

  receive(envelope: Envelope<FromPage>): void {
    this.#channel.receive(envelope);
  }

  /** Shows an entry. */
  reveal(index: number): void {
    if (index < this.#session.entries.length) this.#channel.send({ type: 'reveal', index });
  }

  /** Sources are found behind the page's back, so that a long session is shown before. */
  #findSources(): Promise<void> {
    this.#sources ??= (async () => {
      const { entries } = this.#session;
      for (let from = 0; from < entries.length; from += entriesAtOnce) {
        await new Promise((resolve) => setTimeout(resolve));
        const some = entries.slice(from, from + entriesAtOnce);
        for (const entry of some) this.#links.add(entry, false);
      }
      const linked = entries.flatMap(({ index }) => {
        const links = this.#links.linksOf(index).map(pageLink);
        return links.length === 0 ? [] : [{ index, links }];
      });
      this.#channel.send({ type: 'links', entries: linked });
    })();
    return this.#sources;
  }

  #begin(): void {
    const total = this.#session.entries.length;
    const to = Math.min(total, firstEntries);
    this.#channel.restart();
    const page = { total, from: 0, entries: this.#pageEntries(0, to) };
    this.#feed.begin({
      type: 'init',
      view: viewOf(this.#session, this.#turns),
      page,
      open: [],
      l10n: {},
      locale: 'en',
    });
    void this.#findSources();
  }

  #pageEntries(from: number, to: number): PageEntry[] {
    return this.#session.entries.slice(from, to).map((entry) => {
      const page = pageEntry(entry, this.#steps.numberOf(entry.index));
      const links = this.#links.linksOf(entry.index).map(pageLink);
      return links.length === 0 ? page : { ...page, links };
    });
  }

  async #handleMessage(message: FromPage): Promise<void> {
    const { entries, summary } = this.#session;
    switch (message.type) {
      case 'ready':
      case 'resync':
        this.#begin();
        break;
      case 'ack':
        this.#feed.acknowledge(message.seq);
        break;
      case 'getPage': {
        const { request, from, count } = message;
        const page = { total: entries.length, from, entries: this.#pageEntries(from, from + count) };
        this.#channel.send({ type: 'page', request, page });
        break;
      }
      case 'getEntry': {
        const entry = entries[message.index];
        this.#channel.send({
          type: 'entry',
          request: message.request,
          entry: entry === undefined ? null : wholeEntry(entry),
        });
        break;
      }
      case 'getEvidence':
        await this.#findSources();
        this.#channel.send({ type: 'evidence', request: message.request, card: this.#evidenceCard(message) });
        break;
      case 'getSources':
        await this.#findSources();
        this.#channel.send({
          type: 'sources',
          request: message.request,
          page: sourcesPage(this.#links, message, true),
        });
        break;
      case 'find':
        this.#find(message);
        break;
      case 'getTrajectory':
      case 'getFiles':
      case 'getSince':
        await this.#views.answer(message);
        break;
      case 'getLedger':
        this.#channel.send({ type: 'ledger', request: message.request, ledger: ledgerOf(this.#session) });
        break;
      case 'getMessageFigures': {
        const { request, indexes } = message;
        const missing: MissingFigure = this.#figures.size > 0 ? 'not_this' : 'not_per_message';
        const figures = indexes.map((index) => ({ index, figure: this.#figures.get(index) ?? missing }));
        this.#channel.send({ type: 'messageFigures', request, figures });
        break;
      }
      case 'getEditPreviews':
        this.#channel.send({ type: 'editPreviews', request: message.request, previews: [] });
        break;
      case 'copy':
        this.#browser.copy(message.text);
        break;
      case 'command':
        if (message.command === 'copySessionId') {
          this.#browser.copy(summary.executor_session_id ?? summary.session_id);
        }
        break;
      case 'openLink':
        this.#browser.openLink(message.url);
        break;
      default:
        // What needs an editor or an agent; the page hides it.
        break;
    }
  }

  #evidenceCard({ index, link: at }: Extract<FromPage, { type: 'getEvidence' }>): EvidenceCard | null {
    const numbered = this.#links.linksOf(index).find((numberedLink) => numberedLink.at === at);
    if (numbered === undefined) return null;
    const { link } = numbered;
    const step = link.source === undefined ? undefined : this.#session.entries[link.source.entryIndex];
    const evidence =
      step === undefined || link.source === undefined ? null : evidenceOf(step, link.source, link, () => '');
    return evidenceCard(numbered, { evidence, since: null, exists: null });
  }

  #find({ request, query: text, from }: Extract<FromPage, { type: 'find' }>): void {
    const { query, problems } = parseQuery(text);
    const indexes: number[] = [];
    let truncated = false;
    for (const entry of this.#session.entries.slice(from)) {
      if (!matchesOperators(entry, query)) continue;
      if (indexes.length === maxFoundEntries) {
        truncated = true;
        break;
      }
      indexes.push(entry.index);
    }
    this.#channel.send({ type: 'found', request, indexes, truncated, texts: query.texts, problems });
  }
}
