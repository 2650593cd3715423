import { render } from 'lit/html.js';
import type { PageCommand, ToPage } from '../src/protocol/messages.ts';
import type { Actions } from './actions.ts';
import { Announcer } from './announce.ts';
import { whenControlsReady } from './controls.ts';
import { Finder } from './finder.ts';
import { highlight } from './highlight.ts';
import { rowKey } from './keyboard.ts';
import { setLanguage, t } from './l10n.ts';
import { HostLink } from './link.ts';
import { List } from './list.ts';
import { composer } from './parts/composer.ts';
import type { Context } from './parts/context.ts';
import { findBar } from './parts/findBar.ts';
import { header } from './parts/header.ts';
import { strip } from './parts/strip.ts';
import { transcript } from './parts/transcript.ts';
import { buildRows, isNoise, type Row } from './rows.ts';
import { buildShell, empty, loading, type Notice, notices, type Shell } from './shell.ts';
import { soundEntry, soundUpdates } from './sound.ts';
import { pageSize, Store } from './store.ts';
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
  readonly #asked = new Set<number>();
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
  #wanted: { readonly key: string; readonly focus: boolean } | undefined;
  #restore: { readonly key: string; readonly offset: number } | undefined;
  #problem: Notice | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;
  #tick: ReturnType<typeof setInterval> | undefined;

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
      reveal: (index) => this.#revealEntry(index),
      closed: () => this.#findClosed(),
      changed: () => this.#changed(),
    });
    this.#link = new HostLink((message) => this.#take(message));
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

  // What comes from the host

  #take(message: ToPage): void {
    switch (message.type) {
      case 'init':
        setLanguage(message.l10n, message.locale);
        this.#store.init({ ...message, page: { ...message.page, entries: message.page.entries.map(soundEntry) } });
        this.#asked.clear();
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
        this.#asked.clear();
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
    for (let pass = 0; pass < mostPasses; pass++) {
      this.#again = false;
      this.#drawAll();
      if (!this.#again) break;
    }
    this.#drawing = false;
    if (this.#again) this.#changed();
    if (hadFocus && !this.#shell.rows.contains(document.activeElement)) this.#refocus();
    this.#askForGaps();
    this.#keepTime();
    this.#save();
    this.#link.drawn();
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
    this.#drawChrome(context);
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

  #drawChrome(context: Context): void {
    const { view } = this.#store;
    if (view === undefined) return;
    const { header: head, notice, find, composer: foot, strip: ruler } = this.#shell;
    const setMenu = (open: boolean): void => this.#setMenu(open);
    render(header(context, view, { menuOpen: this.#menuOpen, following: this.#list.atEnd, setMenu }), head);
    const all = [view.notice, this.#problem].filter((each) => each !== null && each !== undefined);
    render(notices(all), notice);
    const finding = this.#finder.state();
    render(finding === undefined ? '' : findBar(finding), find);
    const setDraft = (draft: string): void => {
      this.#draft = draft;
      this.#changed();
    };
    render(composer(context, view, { draft: this.#draft, setDraft, send: () => this.#send() }), foot);
    render(strip(this.#store, this.#list), ruler);
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

  #askForGaps(): void {
    for (const { index } of this.#list.items()) {
      const row = this.#list.row(index);
      if (row?.kind !== 'gap') continue;
      const first = Math.floor(row.from / pageSize);
      const last = Math.floor((row.to - 1) / pageSize);
      for (let page = first; page <= last; page++) this.#ask(page);
    }
    const first = this.#list
      .items()
      .map(({ index }) => this.#list.row(index))
      .find((row) => row?.kind === 'entry');
    if (first?.kind === 'entry') this.#store.evict(first.index);
  }

  #ask(page: number): void {
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    const from = page * pageSize;
    const count = Math.min(pageSize, this.#store.total - from);
    if (count <= 0) return;
    void this.#link
      .request((request) => ({ type: 'getPage', request, from, count }))
      .then(() => this.#asked.delete(page));
  }

  /** Running clocks move once a second, while somebody can see them. */
  #keepTime(): void {
    const live = this.#store.view?.can.stop === true || this.#store.turns.at(-1)?.status === 'running';
    const wanted = live && document.visibilityState === 'visible';
    if (wanted) this.#tick ??= setInterval(() => this.#changed(), 1000);
    else {
      clearInterval(this.#tick);
      this.#tick = undefined;
    }
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

  // What the reader does

  #listen(): void {
    const { rows, main } = this.#shell;
    rows.addEventListener('focusin', ({ target }) => this.#focused(keyOf(target)));
    rows.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && rows.contains(relatedTarget))) this.#list.kept = undefined;
    });
    main.addEventListener('click', (event) => this.#clicked(event));
    document.addEventListener('keydown', (event) => this.#key(event));
    document.addEventListener('visibilitychange', () => this.#changed());
    window.addEventListener('pointerdown', ({ target }) => {
      const inMenu = target instanceof Element && target.closest('.menu-at') !== null;
      if (this.#menuOpen && !inMenu) this.#setMenu(false);
    });
  }

  #focused(key: string | undefined): void {
    if (key === undefined) return;
    this.#list.kept = key;
    if (key === this.#focusKey) return;
    this.#focusKey = key;
    this.#changed();
  }

  #clicked(event: Event): void {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-url], [data-file]') : null;
    if (link === null) return;
    event.preventDefault();
    const { url, file, line } = link.dataset;
    if (url !== undefined) this.#link.send({ type: 'openLink', url });
    else if (file !== undefined) this.openFile(file, line === undefined ? undefined : Number(line));
  }

  #key(event: KeyboardEvent): void {
    if (event.defaultPrevented) return;
    const used = this.#globalKey(event) || this.#linkKey(event) || this.#keyInRows(event);
    if (used) event.preventDefault();
  }

  #globalKey(event: KeyboardEvent): boolean {
    if (event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      this.find(true);
      return true;
    }
    if (event.key === 'F2') {
      this.command('rename');
      return true;
    }
    if (event.key !== 'Escape') return false;
    if (this.#menuOpen) this.#setMenu(false);
    else if (this.#finder.isOpen) this.#finder.close();
    else return false;
    return true;
  }

  #linkKey(event: KeyboardEvent): boolean {
    const { target } = event;
    if (event.key !== 'Enter' || !(target instanceof HTMLElement) || target.getAttribute('role') !== 'link')
      return false;
    target.click();
    return true;
  }

  #keyInRows(event: KeyboardEvent): boolean {
    const { target } = event;
    if (!(target instanceof Element) || !target.matches('[data-focus]')) return false;
    const key = keyOf(target);
    const deps = {
      store: this.#store,
      list: this.#list,
      actions: this,
      focusRow: (row: string) => this.reveal(row, true),
    };
    return key !== undefined && rowKey(deps, key, event);
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

  /** Draws the row that was asked for, and the keyboard's focus on it. */
  #showWanted(): void {
    const wanted = this.#wanted;
    if (wanted === undefined || this.#list.place(wanted.key) === undefined) return;
    const element = this.#element(wanted.key);
    if (element === undefined) {
      this.#again = true;
      return;
    }
    this.#wanted = undefined;
    if (wanted.focus) element.focus({ preventScroll: true });
  }

  #revealEntry(index: number): void {
    const key = `e:${index}`;
    this.#markedKey = key;
    const show = (): void => {
      const entry = this.#store.entry(index);
      if (entry === undefined) return;
      this.#uncover(index);
      if (entry.type.kind === 'tool_use' || entry.type.kind === 'thinking') this.#store.toggle(key, true);
      this.#draw();
      this.#list.scrollTo(key, 'center');
      this.#changed();
    };
    if (this.#store.entry(index) !== undefined) show();
    else {
      const from = Math.floor(index / pageSize) * pageSize;
      const count = Math.min(pageSize, this.#store.total - from);
      void this.#link.request((request) => ({ type: 'getPage', request, from, count })).then(show);
    }
  }

  /** Opens whatever hides an entry. */
  #uncover(index: number): void {
    const entry = this.#store.entry(index);
    if (entry === undefined) return;
    if (isNoise(entry)) {
      const turn = this.#store.turns.findLast(({ firstIndex }) => firstIndex <= index);
      this.#store.toggle(`n:${turn?.runId ?? ''}`, true);
      return;
    }
    for (const key of [...this.#store.closedKeys]) this.#store.toggleOpen(key, true);
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

  reveal(key: string, focus = false): void {
    this.#focusKey = key;
    this.#list.kept = key;
    this.#wanted = { key, focus };
    this.#list.scrollTo(key);
    this.#draw();
  }

  scrollToEnd(): void {
    this.#list.scrollToEnd();
    this.#changed();
  }

  find(open: boolean): void {
    if (!open) {
      this.#finder.close();
      return;
    }
    this.#finder.open();
    this.#draw();
    document.getElementById('find')?.focus();
  }

  focusComposer(): void {
    document.getElementById('composer')?.focus();
  }
}

function keyOf(target: EventTarget | null): string | undefined {
  const item = target instanceof Element ? target.closest<HTMLElement>('[data-key]') : null;
  return item?.dataset['key'];
}
