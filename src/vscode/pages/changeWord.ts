import type { ChangedFile } from '../../insight/away/changedFiles.ts';

/** What happened to a file, within a table. `t` translates. */
export function changeWord(change: ChangedFile['change'], t: (message: string) => string): string {
  switch (change) {
    case 'added':
      return t('added');
    case 'changed':
      return t('changed');
    case 'deleted':
      return t('deleted');
  }
}
