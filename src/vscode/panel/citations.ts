import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { SessionHandle } from '../engine/windowEngine.ts';
import { evidenceOf, compareLines, type Evidence } from '../../insight/citations/sources/evidence.ts';
import { withFootnotes } from '../../insight/citations/footnotes.ts';
import { SessionLinks } from '../../insight/citations/sessionLinks.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ClaimVerdict, EvidenceCard, PageLink, LineFate, SourcesPage } from '../../protocol/panel/evidence.ts';
import type { ProjectFiles } from '../window/projectFiles.ts';
import { evidenceCard, pageLink } from '../../pages/session/evidenceView.ts';
import { sourcesPage } from '../../pages/session/sourcesPage.ts';

const { t } = vscode.l10n;

/** Sources of an open session's messages. */
export class Citations {
  readonly #handle: SessionHandle;
  readonly #links: SessionLinks;
  readonly #files: ProjectFiles;

  constructor(handle: SessionHandle, files: ProjectFiles) {
    this.#handle = handle;
    this.#files = files;
    this.#links = new SessionLinks(handle.summary().project_dir ?? '');
  }

  /** Call for every entry in index order, and again when it settles. `open`: it may still change. */
  add(entry: NormalizedEntry, open: boolean): void {
    this.#links.add(entry, open);
  }

  linksOf(index: number): readonly PageLink[] {
    return this.#links.linksOf(index).map(pageLink);
  }

  sources(query: Parameters<typeof sourcesPage>[1], isComplete: boolean): SourcesPage {
    return sourcesPage(this.#links, query, isComplete);
  }

  async evidenceCard(index: number, at: number): Promise<EvidenceCard | null> {
    const numbered = this.#links.linksOf(index).find((numberedLink) => numberedLink.at === at);
    if (numbered === undefined) return null;
    const { link } = numbered;
    const evidence = link.source === undefined ? null : await this.#findEvidence(link.source.entryIndex, link);
    const exists = link.status === 'not_found' && link.path !== undefined ? await this.#files.exists(link.path) : null;
    return evidenceCard(numbered, { evidence, since: await this.#findLineFate(evidence), exists });
  }

  async #findEvidence(
    index: number,
    link: Parameters<typeof evidenceOf>[2] & { source?: Parameters<typeof evidenceOf>[1] },
  ): Promise<Evidence | null> {
    const [entry] = await this.#handle.read(index, index + 1);
    if (entry === undefined || link.source === undefined) return null;
    return evidenceOf(entry, link.source, link, (text) => createHash('sha256').update(text).digest('hex'));
  }

  async #findLineFate(evidence: Evidence | null): Promise<LineFate> {
    if (evidence?.path === null || evidence?.path === undefined || evidence.lines === null) return null;
    const now = await this.#files.readNow(evidence.path);
    if (now === undefined) return null;
    const since = compareLines(evidence, now.text);
    return since === 'unknown' ? null : since;
  }

  /** The message with a footnote for every source. */
  async markdown(index: number): Promise<string | undefined> {
    const [entry] = await this.#handle.read(index, index + 1);
    if (entry?.type.kind !== 'assistant_message') return undefined;
    return withFootnotes(entry.content, this.#links.linksOf(index), {
      citedByAgent: (what) => t('{0} (cited by the agent)', what),
      found: (what, step, verdict) => foundNote(what, step, verdict),
      notFound: (what) => t('{0} (not found in this session)', what),
    });
  }
}

function foundNote(what: string, step: string, verdict: ClaimVerdict | undefined): string {
  switch (verdict) {
    case undefined:
      return t('{0} (found in step {1})', what, step);
    case 'agrees':
      return t('{0} (agrees with step {1})', what, step);
    case 'disagrees':
      return t('{0} (disagrees with step {1})', what, step);
    case 'stale':
      return t('{0} (step {1}, out of date: files changed later)', what, step);
    case 'partial':
      return t('{0} (step {1} ran only part of it)', what, step);
    case 'unknown':
      return t('{0} (step {1}, outcome unknown)', what, step);
  }
}
