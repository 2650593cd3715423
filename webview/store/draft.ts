import type { SessionView } from '../../src/protocol/panel/messages.ts';
import type { Announcer } from '../list/announce.ts';
import { t } from '../l10n.ts';
import type { HostLink } from '../host/link.ts';
import type { ComposerState } from '../parts/composer.ts';

interface DraftDeps {
  readonly view: () => SessionView | undefined;
  readonly link: HostLink;
  readonly announcer: Announcer;
  readonly sent: () => void;
  readonly draw: () => void;
  readonly changed: () => void;
}

/** What is being written to the agent, until it is sent. */
export class Draft {
  readonly #deps: DraftDeps;
  text: string;
  /** When the follow-up was to go out that the host was told of writing for. */
  #toldFor: string | undefined;

  constructor(text: string, deps: DraftDeps) {
    this.text = text;
    this.#deps = deps;
  }

  state(): ComposerState {
    const setDraft = (draft: string): void => {
      const begins = this.text === '' && draft !== '';
      this.text = draft;
      this.#tellOfWriting(begins);
      this.#deps.changed();
    };
    return { draft: this.text, setDraft, send: (how) => this.#send(how) };
  }

  /** What becomes due while someone is writing is not wanted either. */
  viewChanged(): void {
    const writing = document.hasFocus() && document.activeElement?.id === 'composer';
    if (writing && this.text.trim() !== '') this.#tellOfWriting(false);
  }

  /** `begins`: the host may know of a follow-up that this page was not told of yet. Else once for each. */
  #tellOfWriting(begins: boolean): void {
    const { view, link } = this.#deps;
    const due = view()?.followUpAt;
    if (!begins && (due === undefined || due === this.#toldFor)) return;
    this.#toldFor = due;
    link.send({ type: 'typing' });
  }

  focus(): void {
    document.getElementById('composer')?.focus();
  }

  #send(how: 'queue' | 'interrupt' = 'queue'): void {
    const { link, announcer, sent, changed } = this.#deps;
    const view = this.#deps.view();
    if (this.text.trim() === '' || view?.can.send !== true) return;
    const atWork = view.can.stop;
    link.send({ type: 'send', text: this.text, ...(atWork && { how }) });
    this.text = '';
    sent();
    announcer.say(atWork && how === 'queue' ? t('Message queued') : t('Message sent'));
    changed();
  }

  /** A queued message came back to be written on; `null` where it had been said already. */
  takenBack(text: string | null): void {
    const { announcer, draw } = this.#deps;
    if (text === null) {
      announcer.say(t('Already sent; the message cannot be unsent'));
      return;
    }
    this.text = [text, this.text].filter((part) => part.trim() !== '').join('\n\n');
    announcer.say(t('Message unsent'));
    draw();
    this.focus();
  }
}
