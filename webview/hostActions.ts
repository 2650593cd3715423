import type { Actions } from './actions.ts';
import { t } from './l10n.ts';
import type { HostLink } from './link.ts';

type HostActions = Pick<
  Actions,
  'copy' | 'openFile' | 'openDiff' | 'command' | 'stop' | 'complete' | 'takeBack' | 'followPage'
>;

/** What a reader can do that only the host can carry out. */
export function hostActions(link: HostLink, say: (text: string) => void): HostActions {
  return {
    copy(text) {
      link.send({ type: 'copy', text });
      say(t('Copied'));
    },
    openFile(path, line) {
      link.send(line === undefined ? { type: 'openFile', path } : { type: 'openFile', path, line });
    },
    openDiff: (index) => link.send({ type: 'openDiff', index }),
    followPage: (url) => link.send({ type: 'openLink', url }),
    command: (command) => link.send({ type: 'command', command }),
    stop: () => link.send({ type: 'stop' }),
    takeBack: (id) => link.send({ type: 'takeBack', id }),
    complete: (index) => void link.request((request) => ({ type: 'getEntry', request, index })),
  };
}
