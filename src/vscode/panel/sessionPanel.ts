import * as vscode from 'vscode';
import type { Notice, SessionHandle } from '../engine/windowEngine.ts';
import { completenessWording } from '../../engine/audit/completenessWording.ts';
import type { Completeness } from '../../engine/record/chain/completeness.ts';
import { parseQuery } from '../../insight/search/query.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import { Channel } from '../../protocol/channel.ts';
import { parseFromPage } from '../../protocol/panel/fromPageSchema.ts';
import type { EntryPage, FromPage, Packet, PageEntry, PageUpdate, SessionView } from '../../protocol/panel/messages.ts';
import { pageEntry, wholeEntry } from '../../protocol/panel/pageEntries.ts';
import { UpdateFeed } from '../../protocol/panel/updateFeed.ts';
import { Citations } from './citations.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { logFiltered, logFiltering } from '../../engine/log/metadataLog.ts';
import type { PageActions } from './pageActions.ts';
import { ProjectFiles } from '../window/projectFiles.ts';
import { pickPrompt } from './pickPrompt.ts';
import { PromptIndex } from './promptIndex.ts';
import { type FiguresDeps, SessionFigures } from './sessionFigures.ts';
import { hideOwnWindow, sessionView } from './sessionView.ts';
import { StepIndex } from './stepIndex.ts';
import { isForObserved, isOfOthers } from '../observed/observedView.ts';
import { answerEditPreviews } from './editPreviews.ts';
import { translateWording } from '../failures/failureText.ts';
import { SessionViews } from '../../pages/session/sessionViews.ts';
import type { ViewSource } from '../../pages/session/viewIndex.ts';

const { t } = vscode.l10n;

/** Entries in the first page; more than any window shows. */
const firstPage = 80;
const maxFound = 1000;
/** Minimum interval between updates of a running session, in ms. */
const viewPause = 100;
/** Number of reads of the first page before continuous output is shown as it is. */
const maxReads = 20;

/** Index of an entry, or the request that has waited longest. */
export type RevealTarget = number | 'review';

/** A page with one session: shows the handle's content and executes the user's actions. */
export class SessionPanel implements vscode.Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #handle: SessionHandle;
  readonly #actions: PageActions;
  readonly #log: vscode.LogOutputChannel;
  readonly #channel: Channel<Packet, FromPage>;
  readonly #feed: UpdateFeed;
  readonly #steps: StepIndex;
  readonly #views: SessionViews;
  readonly #citations: Citations;
  readonly #figures: SessionFigures;
  readonly #prompts = new PromptIndex();
  /** Entries that were sent before their steps were counted, `from` to `to` (exclusive). */
  #uncountedRanges: { readonly from: number; readonly to: number }[] = [];
  readonly #disposables: { dispose(): void }[];
  /** The page has its first entries and is visible. */
  #hasStarted = false;
  /** Number of updates before the page had its first entries. */
  #updatesBeforePage = 0;
  #areStepsNumbered = false;
  /** Where to scroll once the page is ready. */
  #target: RevealTarget | undefined;
  #notice: Notice | undefined;
  /** Descriptions of what the record lacks. */
  #missingParts: readonly string[] = [];
  #viewTimer: NodeJS.Timeout | undefined;

  constructor(
    panel: vscode.WebviewPanel,
    handle: SessionHandle,
    actions: PageActions,
    log: vscode.LogOutputChannel,
    about: Pick<FiguresDeps, 'sessions' | 'checkResume' | 'daysToDeletion'>,
  ) {
    this.#panel = panel;
    this.#handle = handle;
    this.#actions = actions;
    this.#log = log;
    const files = new ProjectFiles(() => handle.summary().project_dir);
    this.#citations = new Citations(handle, files);
    this.#figures = new SessionFigures({ handle, ...about, steps: () => this.#steps });
    this.#steps = new StepIndex(handle, (entry, { isNew, isSettled }) => {
      this.#citations.add(entry, !isSettled && handle.openIndexes().includes(entry.index));
      this.#figures.add(entry);
      if (isNew) this.#prompts.add(entry);
    });
    this.#channel = new Channel<Packet, FromPage>({
      post: (envelope) => void panel.webview.postMessage(envelope),
      deliver: (message) => void this.#answer(message),
    });
    this.#feed = new UpdateFeed(this.#channel);
    const source: ViewSource = {
      entryCount: () => handle.entryCount(),
      read: (from, to) => handle.read(from, to),
      turns: () => handle.turns(),
      isLive: () => handle.isLive(),
      summary: () => handle.summary(),
      fileNow: (name) => files.readNow(name),
    };
    this.#views = new SessionViews(source, (answer) => this.#hasStarted && this.#channel.send(answer));
    this.#disposables = [
      handle,
      this.#views,
      panel.webview.onDidReceiveMessage((data: unknown) => this.#receive(data)),
      panel.onDidChangeViewState(() => this.#handleViewStateChange()),
      handle.onUpdates((updates, total) => this.#push(updates, total)),
      handle.onSummary(() => this.#showView()),
      // Before scrolling, so that a sent message does not also appear as queued.
      handle.onConversation(() => (handle.conversation() === null ? this.#showView() : this.#showViewNow())),
      handle.onNotice((notice) => {
        this.#notice = notice;
        this.#showView();
      }),
      actions.onDidChangeDue(() => this.#showView()),
      vscode.workspace.onDidSaveTextDocument(() => this.#views.handleFileSaved()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#showView()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#showView()),
    ];
  }

  /** Scrolls to an entry or to the request that has waited longest. */
  reveal(to: RevealTarget): void {
    const total = this.#handle.entryCount();
    if (to !== 'review' && to >= total) {
      void vscode.window.showWarningMessage(t('This session has {0} entries. Entry {1} does not exist.', total, to));
      return;
    }
    this.#target = to;
    if (this.#hasStarted) this.#showLead();
  }

  /** Warns about missing parts of the record. */
  showMissing(found: Completeness): void {
    this.#missingParts = completenessWording(found).map(translateWording);
    if (this.#missingParts.length > 0) this.#showView();
  }

  async pickPrompt(): Promise<void> {
    await this.#steps.count();
    this.#logHiddenMessages('prompts');
    const index = await pickPrompt(this.#prompts, Date.now(), this.#handle.summary());
    if (index === undefined) return;
    this.#panel.reveal();
    this.reveal(index);
  }

  withSources(index: number): Promise<string | undefined> {
    return this.#citations.markdown(index);
  }

  /** Logs how many automatic messages a list hides. */
  #logHiddenMessages(list: 'prompts' | 'transcript'): void {
    const { id } = this.#handle;
    const all = this.#prompts.all();
    const hidden = all.filter(({ synthetic }) => synthetic);
    for (const { index, metadata } of hidden) logFiltered(this.#log, `${id}#${index}`, metadata);
    logFiltering(this.#log, list, { total: all.length, filtered: hidden.length }, id);
  }

  #showLead(): void {
    const to = this.#target;
    if (to === undefined) return;
    this.#target = undefined;
    this.#channel.send(to === 'review' ? { type: 'review' } : { type: 'reveal', index: to });
  }

  dispose(): void {
    this.#steps.stop();
    clearTimeout(this.#viewTimer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  /** A hidden page is unloaded; it starts again when it becomes visible. */
  #handleViewStateChange(): void {
    if (!this.#panel.visible) this.#hasStarted = false;
  }

  #receive(data: unknown): void {
    const envelope = parseFromPage(data);
    if (envelope === undefined) {
      this.#log.warn(logLine('page message refused', { session: this.#handle.id }));
      return;
    }
    if (envelope.message.type === 'ack') {
      if (envelope.generation === this.#channel.generation) this.#feed.acknowledge(envelope.message.seq);
      return;
    }
    this.#channel.receive(envelope);
  }

  async #answer(message: FromPage): Promise<void> {
    try {
      await this.#handleMessage(message);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#log.error(logLine('page request failed', { session: this.#handle.id, type: message.type, error: text }));
      if ('request' in message) this.#channel.send({ type: 'failed', request: message.request, message: text });
    }
  }

  async #handleMessage(message: FromPage): Promise<void> {
    const { id } = this.#handle;
    switch (message.type) {
      case 'ready':
      case 'resync':
        return this.#begin();
      case 'getPage': {
        const page = await this.#readPage(message.from, message.from + message.count);
        this.#channel.send({ type: 'page', request: message.request, page });
        return;
      }
      case 'getEntry': {
        const [entry = null] = (await this.#handle.read(message.index, message.index + 1)).map(wholeEntry);
        this.#channel.send({ type: 'entry', request: message.request, entry });
        return;
      }
      case 'getEvidence': {
        const card = await this.#citations.evidenceCard(message.index, message.link);
        this.#channel.send({ type: 'evidence', request: message.request, card });
        return;
      }
      case 'getSources': {
        const page = this.#citations.sources(message, this.#steps.counted >= this.#handle.entryCount());
        this.#channel.send({ type: 'sources', request: message.request, page });
        return;
      }
      case 'find': {
        const { request, query, from } = message;
        const found = await this.#handle.find(query, maxFound, from);
        const {
          query: { texts },
          problems,
        } = parseQuery(query);
        this.#channel.send({ type: 'found', request, ...found, texts, problems });
        return;
      }
      case 'send':
        this.#notice = undefined;
        if (await this.#actions.send(this.#handle, message.text, message.how)) return;
        // Returns the unsent text to the input.
        this.#channel.send({ type: 'takenBack', text: message.text });
        return;
      case 'typing':
        return this.#actions.handleTyping(id);
      case 'takeBack': {
        const text = (await this.#handle.conversation()?.takeBack(message.id)) ?? null;
        this.#channel.send({ type: 'takenBack', text });
        return undefined;
      }
      case 'answer':
        if (!(await this.#actions.answer(this.#handle, message.id, message.answer))) {
          this.#log.warn(logLine('answer refused', { session: id, request: message.id, kind: message.answer.kind }));
        }
        return undefined;
      case 'stop':
        return this.#actions.stop(id);
      case 'openFile':
        return this.#actions.openFile(this.#handle.summary().project_dir, message.path, message.line, message.endLine);
      case 'openDiff':
        return this.#actions.openDiff(this.#handle, message.index);
      case 'getTrajectory':
      case 'getFiles':
      case 'getSince':
        return this.#views.answer(message);
      case 'getLedger':
      case 'getResume':
      case 'getMessageFigures':
        this.#channel.send(await this.#figures.answer(message));
        return;
      case 'getEditPreviews':
        this.#views.watch();
        this.#channel.send(await answerEditPreviews(this.#handle, message));
        return;
      case 'pickPrompt':
        return this.pickPrompt();
      case 'keepDetail':
        return this.#actions.memory.keepDetail(message.detail);
      case 'openFileChanges':
        return this.#actions.openFileChanges(this.#handle, await this.#views.files(), message.path);
      case 'openAllChanges':
        return this.#actions.openAllChanges(this.#handle, await this.#views.files());
      case 'openLink':
        return this.#actions.openLink(message.url);
      case 'openRecalled':
        return this.#actions.openRecalled(this.#handle, message.index, message.passage);
      case 'copy':
        return this.#actions.copy(message.text);
      case 'command':
        if (isOfOthers(this.#handle.summary()) && !isForObserved(message.command)) return undefined;
        return this.#actions.command(message.command, id);
      case 'ack':
        return undefined;
    }
  }

  /** Sends the first page, and from then on changes. */
  async #begin(): Promise<void> {
    this.#hasStarted = false;
    if (this.#steps.isNearEnd) this.#areStepsNumbered = await this.#steps.count();
    let page: EntryPage;
    // Output that arrives during a read may or may not be included, so read again until none arrives.
    for (let reads = 0; ; reads += 1) {
      this.#updatesBeforePage = 0;
      this.#uncountedRanges = [];
      const total = this.#handle.entryCount();
      page = await this.#readPage(Math.max(0, total - firstPage), total);
      if (this.#updatesBeforePage === 0 || reads >= maxReads) break;
    }
    const view = this.#createView();
    const l10n = vscode.l10n.bundle ?? {};
    this.#channel.restart();
    this.#views.restart();
    const open = this.#handle.openIndexes();
    const { detail } = this.#actions.memory;
    this.#feed.begin({ type: 'init', view, page, open, detail, l10n, locale: vscode.env.language });
    this.#hasStarted = true;
    this.#showLead();
    if (!this.#areStepsNumbered) await this.#sendStepNumbers(page);
    if (this.#areStepsNumbered) this.#logHiddenMessages('transcript');
  }

  /** Counts steps in the background, then sends the first page again with step numbers. */
  async #sendStepNumbers(shown: EntryPage): Promise<void> {
    this.#areStepsNumbered = await this.#steps.count();
    if (!this.#areStepsNumbered || !this.#hasStarted) return;
    const entries = await this.#handle.read(shown.from, shown.from + shown.entries.length);
    const open = new Set(this.#handle.openIndexes());
    const settled = entries.filter((entry) => entry.type.kind === 'tool_use' && !open.has(entry.index));
    this.#feed.push(
      settled.map((entry) => ({ op: 'put', entry: this.#toPageEntry(entry) })),
      this.#handle.entryCount(),
    );
    this.#sendLinks();
  }

  /** Sends sources for entries that the page already has. */
  #sendLinks(): void {
    const sent = this.#uncountedRanges;
    this.#uncountedRanges = [];
    const entries = sent.flatMap(({ from, to }) =>
      Array.from({ length: to - from }, (_, at) => ({ index: from + at, links: this.#citations.linksOf(from + at) })),
    );
    const linked = entries.filter(({ links }) => links.length > 0);
    if (linked.length > 0) this.#channel.send({ type: 'links', entries: linked });
  }

  async #readPage(from: number, to: number): Promise<EntryPage> {
    const entries = await this.#handle.read(from, Math.min(to, this.#handle.entryCount()));
    const page = entries.map((entry) => this.#toPageEntry(entry));
    const last = entries.at(-1)?.index ?? -1;
    if (last >= this.#steps.counted)
      this.#uncountedRanges.push({ from: Math.max(from, this.#steps.counted), to: last + 1 });
    return { total: this.#handle.entryCount(), from, entries: page };
  }

  #toPageEntry(entry: NormalizedEntry): PageEntry {
    const page = hideOwnWindow(pageEntry(entry, this.#steps.numberOf(entry)), this.#actions.windowId);
    const links = this.#citations.linksOf(entry.index);
    return links.length === 0 ? page : { ...page, links };
  }

  #push(updates: readonly EntryUpdate[], total: number): void {
    this.#views.update(updates);
    if (!this.#hasStarted) {
      this.#updatesBeforePage += updates.length;
      for (const update of updates) this.#settle(update);
      return;
    }
    const forPage = updates.map((update): PageUpdate => {
      if (update.op === 'append') return update;
      this.#settle(update);
      const entry = this.#toPageEntry(update.entry);
      const { index } = update.entry;
      if (index >= this.#steps.counted) this.#uncountedRanges.push({ from: index, to: index + 1 });
      return { ...update, entry };
    });
    this.#feed.push(forPage, total);
  }

  #settle(update: EntryUpdate): void {
    if (update.op === 'put' && update.open !== true) this.#steps.settle(update.entry);
  }

  #createView(): SessionView {
    const around = this.#figures.around(this.#actions.dueAt(this.#handle.id));
    return sessionView(this.#handle, this.#notice ?? this.#missingParts, around);
  }

  #showView(): void {
    this.#viewTimer ??= setTimeout(() => this.#showViewNow(), viewPause);
  }

  #showViewNow(): void {
    clearTimeout(this.#viewTimer);
    this.#viewTimer = undefined;
    if (this.#hasStarted) this.#feed.show(this.#createView());
  }
}
