import type { SessionView } from '../../src/protocol/panel/messages.ts';
import type { Announcer } from '../list/announce.ts';
import { t } from '../l10n.ts';
import type { HostLink } from '../host/link.ts';
import { isJoined } from './joined.ts';
import type { ComposerState } from '../parts/composer.ts';

interface DraftDeps {
  readonly view: () => SessionView | undefined;
  readonly link: HostLink;
  readonly announcer: Announcer;
  readonly sent: () => void;
  readonly draw: () => void;
  readonly changed: () => void;
}

/** The message that is being written. */
export class Draft {
  readonly #deps: DraftDeps;
  text: string;
  /** Due time of the follow-up for which the host was notified. */
  #notifiedFor: string | undefined;

  constructor(text: string, deps: DraftDeps) {
    this.text = text;
    this.#deps = deps;
  }

  state(): ComposerState {
    const setDraft = (draft: string): void => {
      const hasStarted = this.text === '' && draft !== '';
      this.text = draft;
      this.#reportWriting(hasStarted);
      this.#deps.changed();
    };
    return { draft: this.text, setDraft, send: (how) => this.#send(how) };
  }

  /** A follow-up that becomes due while someone is writing must not be sent. */
  viewChanged(): void {
    const writing = document.hasFocus() && document.activeElement?.id === 'composer';
    if (writing && this.text.trim() !== '') this.#reportWriting(false);
  }

  /** `hasStarted`: the host may know of a follow-up that this page does not. Otherwise once for each. */
  #reportWriting(hasStarted: boolean): void {
    const { view, link } = this.#deps;
    const due = view()?.followUpAt;
    if (!hasStarted && (due === undefined || due === this.#notifiedFor)) return;
    this.#notifiedFor = due;
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
    announcer.announce(atWork && how === 'queue' && !isJoined(view) ? t('Message queued') : t('Message sent'));
    changed();
  }

  /** A queued message was unsent, to edit it; `null` if it was already sent. */
  handleUnsent(text: string | null): void {
    const { announcer, draw } = this.#deps;
    if (text === null) {
      announcer.announce(t('Already sent; the message cannot be unsent'));
      return;
    }
    this.text = [text, this.text].filter((part) => part.trim() !== '').join('\n\n');
    announcer.announce(t('Message unsent'));
    draw();
    this.focus();
  }
}
