import type { Actions } from '../actions.ts';
import { t } from '../l10n.ts';
import type { HostLink } from './link.ts';

type HostActions = Pick<
  Actions,
  | 'copy'
  | 'openFile'
  | 'openDiff'
  | 'openChanges'
  | 'command'
  | 'pickPrompt'
  | 'stop'
  | 'fetchCompleteEntry'
  | 'takeBack'
  | 'followPage'
  | 'openRecalled'
>;

/** Actions that only the host can carry out. */
export function hostActions(link: HostLink, say: (text: string) => void): HostActions {
  return {
    copy(text) {
      link.send({ type: 'copy', text });
      say(t('Copied'));
    },
    openFile(path, line, endLine) {
      const at = { ...(line !== undefined && { line }), ...(endLine !== undefined && { endLine }) };
      link.send({ type: 'openFile', path, ...at });
    },
    openDiff: (index) => link.send({ type: 'openDiff', index }),
    openChanges: (path) =>
      link.send(path === undefined ? { type: 'openAllChanges' } : { type: 'openFileChanges', path }),
    followPage: (url) => link.send({ type: 'openLink', url }),
    openRecalled: (index, passage) => link.send({ type: 'openRecalled', index, passage }),
    command: (command) => link.send({ type: 'command', command }),
    pickPrompt: () => link.send({ type: 'pickPrompt' }),
    stop: () => link.send({ type: 'stop' }),
    takeBack: (id) => link.send({ type: 'takeBack', id }),
    fetchCompleteEntry: (index) => void link.request((request) => ({ type: 'getEntry', request, index })),
  };
}
