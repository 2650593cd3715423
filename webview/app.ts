import { render } from 'lit/html.js';
import type { PageCommand, ToPage } from '../src/protocol/messages.ts';
import type { Actions } from './actions.ts';
import { Announcer } from './announce.ts';
import { whenControlsReady } from './controls.ts';
import { Finder } from './finder.ts';
import { highlight } from './highlight.ts';
import { rowKey } from './keyboard.ts';
import { setLanguage, t } from './l10n.ts';
import { listen } from './input.ts';
import { HostLink } from './link.ts';
import { Pager } from './pager.ts';
import { List } from './list.ts';
import { type ChromeState, drawChrome } from './parts/chrome.ts';
import type { Context } from './parts/context.ts';
import { transcript } from './parts/transcript.ts';
import { buildRows, type Row } from './rows.ts';
import { buildShell, empty, loading, type Notice, type Shell } from './shell.ts';
import { soundEntry, soundUpdates } from './sound.ts';
import { Store } from './store.ts';
import { Ticker } from './ticker.ts';
import { loadState, saveState } from './vscodeApi.ts';

const saveDelay = 300;
/** Drawing can change heights, which can change what is on screen; this often in one frame at most. */
const mostPasses = 4;

/** The page: takes what the host sends, draws once per frame, sends what the reader wants. */
export class App implements Actions {
  readonly #store = new Store();
  readonly #shell: Shell;
  readonly #list: List;
  readonly #link: HostLink;
  readonly #finder: Finder;
  readonly #announcer: Announcer;
  readonly #pager: Pager;
  readonly #ticker = new Ticker(() => this.#changed());
  readonly #loaded: () => void;
  #frame: number | undefined;
  #drawing = false;
  #again = false;
  #structure = -1;
  #begun = false;
  #draft = '';
  #menuOpen = false;
  #focusKey: string | undefined;
  #markedKey: string | undefined;
  #wanted: string | undefined;
  #restore: { readonly key: string; readonly offset: number } | undefined;
  #problem: Notice | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;

  /** `loaded` is called once, when the first entries are on screen. */
  constructor(root: HTMLElement, loaded: () => void) {
    this.#loaded = loaded;
    const saved = loadState();
    this.#draft = saved.draft ?? '';
    this.#restore = saved.anchor;
    for (const key of saved.expanded ?? []) this.#store.expanded.add(key);
    for (const key of saved.closed ?? []) this.#store.toggleOpen(key, false);
    this.#shell = buildShell(root);
    this.#announcer = new Announcer(this.#shell.polite, this.#shell.alert);
    this.#list = new List(
      this.#shell.scroller,
      (row) => this.#isTall(row),
      () => this.#changed(),
    );
    this.#finder = new Finder({
      request: (message) => this.#link.request(message),
      reveal: (index) => void this.#revealEntry(index),
      closed: () => this.#findClosed(),
      changed: () => this.#changed(),
    });
    this.#link = new HostLink((message) => this.#take(message));
    this.#pager = new Pager(this.#store, (message) => this.#link.request(message));
    this.#listen();
    void whenControlsReady(() => this.#changed());
    this.#draw();
    this.#link.send({ type: 'ready' });
  }

  #isTall(row: Row): boolean {
    if (row.kind !== 'entry') return false;
    const kind = this.#store.entry(row.index)?.type.kind;
    return kind === 'assistant_message' || kind === 'user_message';
  }

  #take(message: ToPage): void {
    switch (message.type) {
      case 'init':
        setLanguage(message.l10n, message.locale);
        this.#store.init({ ...message, page: { ...message.page, entries: message.page.entries.map(soundEntry) } });
        this.#pager.reset();
        this.#problem = undefined;
        this.#announcer.view(message.view);
        break;
      case 'view':
        this.#store.setView(message.view);
        this.#announcer.view(message.view);
        break;
      case 'updates':
        this.#updates(message);
        break;
      case 'page':
        this.#store.addPage(message.page.entries.map(soundEntry).filter(({ index }) => index >= 0));
        break;
      case 'entry':
        if (message.entry !== null) this.#store.complete(message.entry);
        break;
      case 'failed':
        this.#problem = { severity: 'error', text: message.message };
        break;
      case 'found':
        break;
    }
    this.#changed();
  }

  #updates({ updates, total }: Extract<ToPage, { type: 'updates' }>): void {
    const sound = soundUpdates(updates);
    this.#store.apply(sound, total);
    for (const update of sound) {
      if (update.op === 'put' && update.open !== true) this.#announcer.settled(update.entry);
    }
  }

  // Drawing

  #changed(): void {
    if (this.#drawing) this.#again = true;
    else this.#frame ??= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#frame = undefined;
    this.#drawing = true;
    const hadFocus = this.#shell.rows.contains(document.activeElement);
    let passes = 0;
    do {
      this.#again = false;
      this.#drawAll();
      passes += 1;
    } while (this.#isChanged() && passes < mostPasses);
    this.#drawing = false;
    if (this.#isChanged()) this.#changed();
    if (hadFocus && !this.#shell.rows.contains(document.activeElement)) this.#refocus();
    this.#pager.look(this.#list);
    this.#ticker.set(this.#store.turns.at(-1)?.status === 'running');
    this.#save();
    this.#link.drawn();
  }

  #isChanged(): boolean {
    return this.#again;
  }

  #context(): Context {
    return {
      store: this.#store,
      actions: this,
      now: Date.now(),
      focusKey: this.#focusKey,
      markedKey: this.#markedKey,
    };
  }

  #drawAll(): void {
    const { view } = this.#store;
    const { main, rows } = this.#shell;
    if (view === undefined) {
      render(loading(), rows);
      return;
    }
    main.setAttribute('aria-busy', 'false');
    const context = this.#context();
    drawChrome(this.#shell, context, view, this.#list, this.#chrome());
    if (this.#structure !== this.#store.structure) {
      this.#structure = this.#store.structure;
      this.#list.setRows(buildRows(this.#store));
    }
    if (!this.#begun) requestAnimationFrame(this.#loaded);
    if (this.#list.length === 0) {
      this.#begun = true;
      render(empty(view.can.stop), rows);
      return;
    }
    this.#chooseFocus();
    render(transcript(this.#context(), this.#list), rows);
    this.#list.drawn();
    this.#begin();
    this.#showWanted();
    if (this.#finder.isOpen) highlight(rows, this.#finder.query);
  }

  #chrome(): ChromeState {
    const setMenu = (open: boolean): void => this.#setMenu(open);
    const setDraft = (draft: string): void => {
      this.#draft = draft;
      this.#changed();
    };
    return {
      head: { menuOpen: this.#menuOpen, following: this.#list.atEnd, setMenu },
      composer: { draft: this.#draft, setDraft, send: () => this.#send() },
      find: this.#finder.state(),
      problem: this.#problem,
    };
  }

  /** First drawing: at the end, or where the reader left. */
  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const anchor = this.#restore;
    if (anchor === undefined || !this.#list.restore(anchor)) this.#list.scrollToEnd();
  }

  /** Tab leads to the row that had the focus last, or to the first on screen. */
  #chooseFocus(): void {
    const onScreen = this.#list.items().flatMap(({ index }) => this.#list.row(index) ?? []);
    if (onScreen.some(({ key }) => key === this.#focusKey)) return;
    this.#focusKey = onScreen.find((row) => this.#hasButton(row))?.key;
  }

  #hasButton(row: Row): boolean {
    if (row.kind === 'noise' || row.kind === 'group') return true;
    return row.kind === 'entry' && !this.#isTall(row);
  }

  #refocus(): void {
    const row = this.#focusKey === undefined ? undefined : this.#element(this.#focusKey);
    (row ?? this.#shell.scroller).focus({ preventScroll: true });
  }

  #element(key: string): HTMLElement | undefined {
    const found = this.#shell.rows.querySelector(`[data-key="${CSS.escape(key)}"] [data-focus]`);
    return found instanceof HTMLElement ? found : undefined;
  }

  /** `sessionId` is how the host finds the session again after a reload of the window. */
  #save(): void {
    const sessionId = this.#store.view?.summary.session_id;
    if (!this.#begun || sessionId === undefined) return;
    this.#saving ??= setTimeout(() => {
      this.#saving = undefined;
      const anchor = this.#list.anchor();
      const draft = this.#draft;
      const expanded = [...this.#store.expanded].slice(-500);
      const closed = [...this.#store.closedKeys].slice(-500);
      saveState({ sessionId, expanded, closed, draft, ...(anchor !== undefined && { anchor }) });
    }, saveDelay);
  }

  #listen(): void {
    const { rows, main } = this.#shell;
    const keys = { store: this.#store, list: this.#list, focusRow: (to: string) => this.#focusRow(to) };
    listen({
      main,
      rows,
      actions: this,
      focused: (key) => this.#focused(key),
      left: () => (this.#list.kept = undefined),
      escape: () => this.#escape(),
      // Keys may come faster than rows are drawn: the next one counts from where the last one leads.
      keyInRow: (key, event) => rowKey(keys, this.#wanted ?? key, event),
      pressedOutsideMenu: () => this.#menuOpen && this.#setMenu(false),
      followPage: (url) => this.#link.send({ type: 'openLink', url }),
    });
    document.addEventListener('visibilitychange', () => this.#changed());
  }

  #focused(key: string): void {
    this.#list.kept = key;
    if (key === this.#focusKey) return;
    this.#focusKey = key;
    this.#changed();
  }

  #escape(): boolean {
    if (this.#menuOpen) this.#setMenu(false);
    else if (this.#finder.isOpen) this.#finder.close();
    else return false;
    return true;
  }

  #focusRow(key: string): void {
    this.#focusKey = key;
    this.#list.kept = key;
    this.#wanted = key;
    this.#list.scrollTo(key);
    this.#draw();
  }

  #setMenu(open: boolean): void {
    this.#menuOpen = open;
    this.#draw();
    const to = open
      ? this.#shell.header.querySelector<HTMLElement>('[role=menuitem]')
      : document.getElementById('more');
    to?.focus();
  }

  #send(): void {
    const text = this.#draft.trim();
    if (text === '' || this.#store.view?.can.send !== true) return;
    this.#link.send({ type: 'send', text: this.#draft });
    this.#draft = '';
    this.#list.scrollToEnd();
    this.#announcer.say(t('Message sent'));
    this.#changed();
  }

  #findClosed(): void {
    highlight(this.#shell.rows, '');
    this.#draw();
    this.#refocus();
  }

  /** Puts the focus on the row that was asked for, once it is drawn. */
  #showWanted(): void {
    const wanted = this.#wanted;
    if (wanted === undefined || this.#list.place(wanted) === undefined) return;
    const element = this.#element(wanted);
    if (element === undefined) {
      this.#again = true;
      return;
    }
    this.#wanted = undefined;
    element.focus({ preventScroll: true });
  }

  async #revealEntry(index: number): Promise<void> {
    const key = `e:${index}`;
    this.#markedKey = key;
    await this.#pager.load(index);
    const entry = this.#store.entry(index);
    if (entry === undefined || this.#markedKey !== key) return;
    this.#store.uncover(index);
    if (entry.type.kind === 'tool_use' || entry.type.kind === 'thinking') this.#store.toggle(key, true);
    this.#draw();
    this.#list.scrollTo(key, 'center');
    this.#changed();
  }

  copy(text: string): void {
    this.#link.send({ type: 'copy', text });
    this.#announcer.say(t('Copied'));
  }

  openFile(path: string, line?: number): void {
    this.#link.send(line === undefined ? { type: 'openFile', path } : { type: 'openFile', path, line });
  }

  openDiff(index: number): void {
    this.#link.send({ type: 'openDiff', index });
  }

  command(command: PageCommand): void {
    this.#link.send({ type: 'command', command });
  }

  stop(): void {
    this.#link.send({ type: 'stop' });
  }

  complete(index: number): void {
    void this.#link.request((request) => ({ type: 'getEntry', request, index }));
  }

  toggle(key: string): void {
    this.#store.toggle(key);
    this.#changed();
  }

  toggleOpen(key: string): void {
    this.#store.toggleOpen(key);
    this.#changed();
  }

  collapseAll(): void {
    for (const key of [...this.#store.expanded]) this.#store.toggle(key, false);
    this.#changed();
  }

  scrollToEnd(): void {
    this.#list.scrollToEnd();
    this.#changed();
  }

  find(): void {
    this.#finder.open();
    this.#draw();
    document.getElementById('find')?.focus();
  }

  focusComposer(): void {
    document.getElementById('composer')?.focus();
  }
}
