import type { Actions } from '../actions.ts';
import type { Announcer } from '../list/announce.ts';
import { hostActions } from './hostActions.ts';
import type { HostLink } from './link.ts';
import type { List } from '../list/list.ts';
import type { Store } from '../store/store.ts';
import type { Views } from '../views/views.ts';

interface ReaderDeps extends Pick<Actions, 'review' | 'find' | 'focusComposer'> {
  readonly link: HostLink;
  readonly announcer: Announcer;
  readonly store: Store;
  readonly list: List;
  /** Created after the actions. */
  readonly views: () => Views;
  readonly reveal: (index: number) => Promise<void>;
  readonly changed: () => void;
}

/** All actions of a reader, in the page and through the host. */
export function readerActions({ link, announcer, store, list, views, reveal, changed, ...own }: ReaderDeps): Actions {
  const withChangeNotice =
    <T extends readonly unknown[]>(act: (...values: T) => void) =>
    (...values: T): void => {
      act(...values);
      changed();
    };
  return {
    ...hostActions(link, (text) => announcer.announce(text)),
    ...own,
    reveal: (index) => void reveal(index),
    setDetail: withChangeNotice((level) => {
      store.setLevel(level);
      link.send({ type: 'keepDetail', detail: level });
    }),
    setPeopleOnly: withChangeNotice((on) => store.setPeopleOnly(on)),
    setShowsSynthetic: withChangeNotice((on) => store.setShowsSynthetic(on)),
    showView: (id) => views().show(id),
    revealStep: (index) => views().revealStep(index),
    toggle: withChangeNotice((key) => store.toggle(key)),
    toggleOpen: withChangeNotice((key) => store.toggleOpen(key)),
    collapseAll: withChangeNotice(() => {
      for (const key of [...store.expanded]) store.toggle(key, false);
    }),
    scrollToEnd: withChangeNotice(() => list.scrollToEnd()),
  };
}
