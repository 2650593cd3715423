import { render } from 'lit/html.js';
import type { SessionView, ToPage } from '../src/protocol/panel/messages.ts';
import type { Actions } from './actions.ts';
import { Announcer } from './list/announce.ts';
import type { CiteCards } from './cite/citing.ts';
import { Draft } from './store/draft.ts';
import { CodePainter } from './code/painter.ts';
import { whenControlsReady } from './controls.ts';
import { FigureViews } from './figures/figureViews.ts';
import { handleListKey } from './list/keyboard.ts';
import { setLanguage } from './l10n.ts';
import type { LazyModule } from './lazyModules.ts';
import { lazyCiting, lazyFinder } from './lazyParts.ts';
import { drawAllForPrint, listen } from './list/input.ts';
import { RowFocus } from './list/focus.ts';
import { FirstScreen } from './list/firstScreen.ts';
import { type RenderExtent, FrameScheduler } from './list/frames.ts';
import { Jumps } from './list/jumps.ts';
import { HostLink } from './host/link.ts';
import { pageRows } from './rows/pageRows.ts';
import { entryKey } from './rows/rowKeys.ts';
import { Pager } from './store/pager.ts';
import { List } from './list/list.ts';
import { type ChromeState, drawChrome } from './parts/chrome.ts';
import type { Context } from './parts/context.ts';
import type { Finder } from './parts/find/finder.ts';
import { updateSetSize, transcript } from './parts/rows/transcript.ts';
import { readerActions } from './host/readerActions.ts';
import { Requests } from './request/requests.ts';
import { expectedHeight, hasButton } from './rows/rowKinds.ts';
import { buildShell, renderEmpty, loading, type Notice, type Shell } from './shell.ts';
import { pageState, restoreStore, StateSaver } from './host/savedState.ts';
import { validEntry, validUpdates } from './store/validUpdates.ts';
import { Store } from './store/store.ts';
import { type Pace, Ticker } from './list/ticker.ts';
import { Views } from './views/views.ts';
import { loadState, type SavedState } from './host/vscodeApi.ts';

/** The page: takes messages of the host, draws once per frame, sends the reader's requests. */
export class App {
  readonly #store = new Store();
  readonly #shell: Shell;
  readonly #list: List;
  readonly #link: HostLink;
  readonly #finder: LazyModule<Finder>;
  readonly #announcer: Announcer;
  readonly #pager: Pager;
  readonly #focus: RowFocus;
  readonly #requests: Requests;
  readonly #jumps: Jumps;
  readonly #views: Views;
  readonly #citing: LazyModule<CiteCards>;
  readonly #figures: FigureViews;
  readonly #draft: Draft;
  readonly #actions: Actions;
  readonly #saver = new StateSaver({ state: () => this.#savedState(), views: () => this.#views });
  readonly #painter = new CodePainter(() => this.#requestDraw());
  readonly #ticker = new Ticker((pace) => this.#tick(pace));
  readonly #frames = new FrameScheduler(
    (extent) => this.#draw(extent),
    (passes) => this.#drawFrame(passes),
  );
  readonly #firstScreen: FirstScreen;
  #drawnStructureVersion = -1;
  /** As the header says. */
  #isAtEnd = true;
  #revision = 0;
  #isMenuOpen = false;
  #problem: Notice | undefined;

  /** `loaded` is called once, when the first entries are on screen. */
  constructor(root: HTMLElement, loaded: () => void) {
    const saved = loadState();
    restoreStore(this.#store, saved);
    this.#firstScreen = new FirstScreen({
      store: this.#store,
      jumps: () => this.#jumps,
      anchor: saved.anchor,
      next: () => this.#citing,
      idle: () => this.#finder,
      loaded,
      draw: () => this.#frames.now(),
    });
    this.#shell = buildShell(root);
    this.#link = new HostLink((message) => this.#handleMessage(message));
    this.#announcer = new Announcer(this.#shell.polite, this.#shell.alert);
    this.#list = new List(
      this.#shell.scroller,
      (row) => expectedHeight(this.#store, row),
      () => this.#handleScroll(),
    );
    const { rows, scroller } = this.#shell;
    this.#focus = new RowFocus({ rows, scroller, list: this.#list, hasButton: (row) => hasButton(this.#store, row) });
    this.#requests = new Requests({ scroller, link: this.#link, onChanged: () => this.#requestDraw() });
    this.#requests.restore(saved.answers ?? {});
    this.#finder = lazyFinder({
      request: (message) => this.#link.request(message),
      reveal: (index) => void this.#jumps.reveal(index),
      onClosed: () => this.#findClosed(),
      changed: () => this.#requestDraw(),
    });
    this.#pager = new Pager(this.#store, (message) => this.#link.request(message));
    this.#jumps = new Jumps({
      store: this.#store,
      list: this.#list,
      pager: this.#pager,
      focus: this.#focus,
      requests: this.#requests,
      draw: () => this.#frames.now(),
      changed: () => this.#requestDraw(),
    });
    this.#draft = new Draft(saved.draft ?? '', {
      view: () => this.#store.view,
      link: this.#link,
      announcer: this.#announcer,
      sent: () => this.#list.scrollToEnd(),
      draw: () => this.#frames.now(),
      changed: () => {
        this.#saver.handleTyping(this.#draft.text);
        this.#requestDraw();
      },
    });
    this.#actions = readerActions({
      link: this.#link,
      announcer: this.#announcer,
      store: this.#store,
      list: this.#list,
      views: () => this.#views,
      reveal: (index) => this.#reveal(index),
      review: () => this.#focusNextRequest(),
      find: () => void this.#find(),
      focusComposer: () => this.#draft.focus(),
      changed: () => this.#requestDraw(),
    });
    this.#views = new Views({
      shell: this.#shell,
      request: (message) => this.#link.request(message),
      load: (index) => this.#pager.load(index),
      active: saved.tab,
      kept: saved.views ?? {},
      changed: () => this.#frames.requestDraw('updated'),
    });
    this.#citing = lazyCiting({
      main: this.#shell.main,
      store: this.#store,
      request: (message) => this.#link.request(message),
      actions: this.#actions,
      reveal: (index, part) => this.#reveal(index, part),
      changed: () => this.#requestDraw(),
    });
    this.#figures = new FigureViews({
      main: this.#shell.main,
      store: this.#store,
      actions: this.#actions,
      request: (message) => this.#link.request(message),
      changed: () => this.#frames.requestDraw('updated'),
    });
    this.#listen();
    void whenControlsReady(() => this.#frames.now());
    this.#frames.now();
    this.#link.send({ type: 'ready' });
  }

  async #find(): Promise<void> {
    this.#views.show('transcript');
    await this.#finder.load();
    this.#finder.value?.open();
    this.#frames.now();
    document.getElementById('find')?.focus();
  }

  #handleMessage(message: ToPage): void {
    let extent: RenderExtent = 'updated';
    switch (message.type) {
      case 'init':
        extent = 'all';
        setLanguage(message.l10n, message.locale);
        this.#store.init({ ...message, page: { ...message.page, entries: message.page.entries.map(validEntry) } });
        this.#store.setLevel(message.detail ?? 'everything');
        this.#pager.reset();
        this.#problem = undefined;
        this.#applyView(message.view);
        break;
      case 'view':
        this.#store.setView(message.view);
        this.#applyView(message.view);
        updateSetSize(this.#shell.rows, this.#store.entryCount);
        break;
      case 'updates':
        this.#applyUpdates(message);
        break;
      case 'page':
        this.#store.addPage(message.page.entries.map(validEntry).filter(({ index }) => index >= 0));
        break;
      case 'entry':
        if (message.entry !== null) this.#store.putCompleteEntry(message.entry);
        break;
      case 'failed':
        this.#problem = { severity: 'error', text: message.message };
        break;
      case 'takenBack':
        this.#draft.handleUnsent(message.text);
        break;
      case 'review':
        this.#focusNextRequest();
        break;
      case 'reveal':
        // A new page reaches its end after two frames; a jump before that would tear it.
        requestAnimationFrame(() => requestAnimationFrame(() => void this.#reveal(message.index)));
        break;
      case 'viewsChanged':
        this.#requests.previews.reload();
        break;
      case 'links':
        this.#store.setLinks(message.entries);
        break;
      default:
        // An answer: the part that asked takes it.
        break;
    }
    this.#views.handleMessage(message);
    this.#frames.requestDraw(extent);
  }

  #applyView(view: SessionView): void {
    this.#requests.update(view);
    this.#announcer.view(view);
    this.#figures.update(view);
    this.#draft.viewChanged();
  }

  #applyUpdates({ updates, total }: Extract<ToPage, { type: 'updates' }>): void {
    const sound = validUpdates(updates);
    this.#store.apply(sound, total);
    for (const update of sound) {
      if (update.op === 'put' && update.open !== true) this.#announcer.announceSettled(update.entry);
    }
  }

  #requestDraw(): void {
    this.#frames.requestDraw('all');
  }

  /** Clocks update every second, ages every minute. */
  #tick(pace: Pace): void {
    updateSetSize(this.#shell.rows, this.#store.entryCount);
    this.#frames.requestDraw(pace === 'minute' ? 'all' : 'updated');
  }

  /** The list was scrolled or measured: usually that does not change what is drawn. */
  #handleScroll(): void {
    this.#saver.scheduleSave();
    const { isAtEnd } = this.#list;
    if (isAtEnd !== this.#isAtEnd) this.#frames.requestDraw('updated');
    else if (this.#list.needsDrawing) this.#frames.requestDraw('moved');
    this.#isAtEnd = isAtEnd;
  }

  #drawFrame(passes: () => void): void {
    const hadFocus = [this.#shell.rows, this.#shell.bar].some((part) => part.contains(document.activeElement));
    passes();
    // If the focus is elsewhere in the window, it stays there.
    if (hadFocus && document.activeElement === document.body && document.hasFocus()) this.#focus.again();
    this.#pager.look(this.#list);
    this.#figures.messages.look(this.#list);
    this.#ticker.set(this.#store.turns.at(-1)?.status === 'running' ? 'second' : 'minute');
    this.#saver.scheduleSave();
    this.#painter.look(this.#shell.main);
    this.#link.acknowledgeDrawn();
  }

  #context(): Context {
    return {
      store: this.#store,
      actions: this.#actions,
      requests: this.#requests,
      figures: this.#figures,
      now: Date.now(),
      focusKey: this.#focus.key,
      markedKey: this.#jumps.markedKey,
      revision: this.#revision,
    };
  }

  #draw(extent: RenderExtent): void {
    const [{ view }, { rows }] = [this.#store, this.#shell];
    if (view === undefined) {
      render(loading(), rows);
      return;
    }
    if (this.#drawnStructureVersion !== this.#store.structureVersion) {
      // Before any write: this reads the list's position, which the browser has not invalidated yet.
      this.#drawnStructureVersion = this.#store.structureVersion;
      this.#list.setRows(pageRows(this.#store));
    }
    if (extent === 'all') this.#revision += 1;
    if (extent !== 'moved') this.#drawAround(view);
    this.#firstScreen.handleDrawing();
    if (this.#list.length === 0) {
      this.#firstScreen.handleDrawn();
      render(renderEmpty(view.can.stop), rows);
      return;
    }
    this.#focus.choose();
    const layout = this.#list.layout();
    render(transcript(this.#context(), layout), rows);
    this.#list.handleDrawn(layout);
    this.#firstScreen.handleDrawn();
    this.#handleScroll();
    this.#citing.value?.handleDrawn();
    if (!this.#focus.showWanted()) this.#frames.requestDraw('moved');
    // At the end of a long row, the reader would see the buttons before its beginning.
    for (const key of this.#requests.handleDrawn(rows)) this.#list.leaveEndFor(key);
    this.#finder.value?.mark(rows);
  }

  #drawAround(view: SessionView): void {
    this.#shell.main.setAttribute('aria-busy', 'false');
    const context = this.#context();
    drawChrome(this.#shell, context, view, this.#list, this.#chromeState(context));
    this.#figures.handleDrawn(context.now);
    this.#views.draw(context);
  }

  #chromeState(context: Context): ChromeState {
    const setMenuOpen = (open: boolean): void => this.#setMenuOpen(open);
    return {
      head: { isMenuOpen: this.#isMenuOpen, isFollowing: this.#isAtEnd, setMenuOpen, tabs: this.#views.tabs(context) },
      composer: this.#draft.state(),
      find: this.#finder.value?.renderBar(),
      problem: this.#problem,
    };
  }

  #savedState(): SavedState | undefined {
    const [store, list, requests] = [this.#store, this.#list, this.#requests];
    return this.#firstScreen.isDrawn
      ? pageState({ store, list, requests, draft: this.#draft.text, views: this.#views })
      : undefined;
  }

  #listen(): void {
    const keys = { store: this.#store, list: this.#list, focusRow: (to: string) => this.#focusRow(to) };
    listen({
      main: this.#shell.main,
      rows: this.#shell.rows,
      actions: this.#actions,
      focused: (key) => this.#focus.handleFocus(key) && this.#requestDraw(),
      onLeft: () => (this.#list.focusedKey = undefined),
      handleEscape: () => this.#handleEscape(),
      handleRowKey: (key, event) =>
        handleListKey(keys, this.#focus.startKeyFrom(key), event) ||
        !!this.#citing.value?.handleRowKey(this.#focus.startKeyFrom(key), event),
      onPressOutsideMenu: () => this.#isMenuOpen && this.#setMenuOpen(false),
    });
    document.addEventListener('visibilitychange', () => this.#requestDraw());
    drawAllForPrint(this.#list, () => {
      this.#store.drawCompletely();
      this.#frames.now();
    });
  }

  #handleEscape(): boolean {
    if (this.#citing.value?.close() === true || this.#figures.close()) return true;
    if (this.#isMenuOpen) this.#setMenuOpen(false);
    else if (this.#finder.value?.isOpen === true) this.#finder.value.close();
    else return false;
    return true;
  }

  async #reveal(index: number, part = 0): Promise<void> {
    this.#views.show('transcript');
    await this.#jumps.reveal(index);
    this.#focusRow(entryKey(index, part));
  }

  #focusNextRequest(): void {
    this.#views.show('transcript');
    void this.#jumps.review();
  }

  #focusRow(key: string): void {
    this.#focus.go(key);
    this.#frames.now();
  }

  #setMenuOpen(open: boolean): void {
    this.#isMenuOpen = open;
    this.#frames.now();
    const to = open
      ? this.#shell.header.querySelector<HTMLElement>('[role=menuitem]')
      : document.getElementById('more');
    to?.focus();
  }

  #findClosed(): void {
    this.#frames.now();
    this.#focus.again();
  }
}
