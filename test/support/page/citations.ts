import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import { evidenceOf, compareLines } from '../../../src/insight/citations/sources/evidence.ts';
import { SessionLinks } from '../../../src/insight/citations/sessionLinks.ts';
import type { FromPage, PageEntry, Packet } from '../../../src/protocol/panel/messages.ts';
import { evidenceCard, pageLink } from '../../../src/pages/session/evidenceView.ts';
import { sourcesPage } from '../../../src/pages/session/sourcesPage.ts';
import { projectDir } from './madeUp.ts';

type Question = Extract<FromPage, { type: 'getEvidence' | 'getSources' }>;

/** Answers requests for sources like the host, from entries in memory; `files`: current files of the project. */
export class PageCitations {
  readonly #links = new SessionLinks(projectDir);
  readonly #files: Readonly<Record<string, string>>;

  constructor(entries: readonly NormalizedEntry[], open: ReadonlySet<number>, files: Readonly<Record<string, string>>) {
    this.#files = files;
    for (const entry of entries) this.#links.add(entry, open.has(entry.index));
  }

  settled(entry: NormalizedEntry): void {
    this.#links.add(entry, false);
  }

  on(entry: PageEntry): PageEntry {
    const links = this.#links.linksOf(entry.index).map(pageLink);
    return links.length === 0 ? entry : { ...entry, links };
  }

  answer(message: Question, entry: (index: number) => NormalizedEntry | undefined): Packet {
    const { request } = message;
    if (message.type === 'getSources') {
      return { type: 'sources', request, page: sourcesPage(this.#links, message, true) };
    }
    const numbered = this.#links.linksOf(message.index).find((numberedLink) => numberedLink.at === message.link);
    if (numbered === undefined) return { type: 'evidence', request, card: null };
    const { link } = numbered;
    const step = link.source === undefined ? undefined : entry(link.source.entryIndex);
    const evidence =
      step === undefined || link.source === undefined ? null : evidenceOf(step, link.source, link, () => 'hash');
    const now = this.#files[evidence?.path ?? ''];
    const became = evidence === null || now === undefined ? 'unknown' : compareLines(evidence, now);
    const exists = link.status === 'not_found' && link.path !== undefined ? link.path in this.#files : null;
    const card = evidenceCard(numbered, { evidence, since: became === 'unknown' ? null : became, exists });
    return { type: 'evidence', request, card };
  }
}
