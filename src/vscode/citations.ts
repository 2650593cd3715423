import { createHash } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import type { SessionHandle } from '../engine/api.ts';
import { evidenceOf, sinceThen, type Evidence } from '../insight/citations/evidence.ts';
import { withFootnotes } from '../insight/citations/footnotes.ts';
import { SessionLinks } from '../insight/citations/sessionLinks.ts';
import type { NormalizedEntry } from '../model/entry.ts';
import {
  mostSources,
  type EvidenceCard,
  type PageLink,
  type PageSource,
  type SinceThen,
} from '../protocol/evidence.ts';
import { evidenceCard, pageLink, pageSource } from './evidenceView.ts';

const { t } = vscode.l10n;

/** Bytes of a file that is held against what a step had of it. */
const longestFile = 4 * 1024 * 1024;

/** Where the messages of one open session come from. */
export class Citations {
  readonly #handle: SessionHandle;
  readonly #links: SessionLinks;

  constructor(handle: SessionHandle) {
    this.#handle = handle;
    this.#links = new SessionLinks(handle.summary().project_dir ?? '');
  }

  /** Every entry in index order, and again when it settles. */
  add(entry: NormalizedEntry, open = this.#handle.open().includes(entry.index)): void {
    this.#links.add(entry, open);
  }

  of(index: number): readonly PageLink[] {
    return this.#links.of(index).map(pageLink);
  }

  sources(): { readonly sources: readonly PageSource[]; readonly more: number } {
    const all = this.#links.sources();
    return {
      sources: all.slice(0, mostSources).map((source) => pageSource(source, this.#firstLink(source))),
      more: Math.max(0, all.length - mostSources),
    };
  }

  /** Which link of the first message that cites a source does. */
  #firstLink({ entries, number }: { readonly entries: readonly number[]; readonly number: number }): number {
    return this.#links.of(entries[0] ?? -1).find((each) => each.number === number)?.at ?? 0;
  }

  async card(index: number, at: number): Promise<EvidenceCard | null> {
    const numbered = this.#links.of(index).find((each) => each.at === at);
    if (numbered === undefined) return null;
    const { link } = numbered;
    const evidence = link.source === undefined ? null : await this.#evidence(link.source.entryIndex, link);
    const exists =
      link.status === 'not_found' && link.path !== undefined ? (await this.#file(link.path)) !== undefined : null;
    return evidenceCard(numbered, { evidence, since: await this.#since(evidence), exists });
  }

  async #evidence(
    index: number,
    link: Parameters<typeof evidenceOf>[2] & { source?: Parameters<typeof evidenceOf>[1] },
  ): Promise<Evidence | null> {
    const [entry] = await this.#handle.read(index, index + 1);
    if (entry === undefined || link.source === undefined) return null;
    return evidenceOf(entry, link.source, link, (text) => createHash('sha256').update(text).digest('hex'));
  }

  async #since(evidence: Evidence | null): Promise<SinceThen> {
    if (evidence?.path === null || evidence?.path === undefined || evidence.lines === null) return null;
    const uri = this.#uri(evidence.path);
    if (uri === undefined) return null;
    const file = await this.#file(evidence.path);
    if (file === undefined) return 'gone';
    if (file.size > longestFile) return null;
    const now = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const since = sinceThen(evidence, now);
    return since === 'unknown' ? null : since;
  }

  /** A file of the session's folder; others are none of our business. */
  #uri(name: string): vscode.Uri | undefined {
    const root = this.#handle.summary().project_dir;
    if (root === undefined) return undefined;
    const full = path.resolve(root, name);
    const inside = path.relative(root, full);
    return inside === '' || inside.startsWith('..') || path.isAbsolute(inside) ? undefined : vscode.Uri.file(full);
  }

  async #file(name: string): Promise<vscode.FileStat | undefined> {
    const uri = this.#uri(name);
    if (uri === undefined) return undefined;
    try {
      const stat = await vscode.workspace.fs.stat(uri);
      return (stat.type & vscode.FileType.File) === 0 ? undefined : stat;
    } catch {
      return undefined;
    }
  }

  /** The message with a footnote for every source. */
  async markdown(index: number): Promise<string | undefined> {
    const [entry] = await this.#handle.read(index, index + 1);
    if (entry?.type.kind !== 'assistant_message') return undefined;
    return withFootnotes(entry.content, this.#links.of(index), {
      given: (what) => t('{0} (given by the agent)', what),
      found: (what, step) => t('{0} (found in step {1})', what, step),
      notFound: (what) => t('{0} (not found in this session)', what),
    });
  }
}
