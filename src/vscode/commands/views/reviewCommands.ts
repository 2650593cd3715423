import * as vscode from 'vscode';
import { isObject } from '../../../model/text/json.ts';
import type { ReviewTarget } from '../../review/reviewController.ts';
import { sessionLink } from '../../sessions/sessionLinks.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { pickSession, sessionOfArgument } from '../pick.ts';

const { t } = vscode.l10n;

const extension = 'vitrine.vitrine';

/** Reviewing what a session changed. Only a person's own Revert changes a file. */
export function reviewCommands(shell: CommandContext): Commands {
  const controller = () => shell.reviews.controller();
  return {
    /** The whole session, if a row of the tree or an id is given; else a person may choose a part of it. */
    async reviewChanges(argument, since, until) {
      const id = await pickSession(shell, argument, { title: t('Review Changes') });
      if (id === undefined) return;
      const isWhole = sessionOfArgument(argument) !== undefined;
      const { pickRange } = await import('../../review/pickRange.ts');
      const range = isWhole ? rangeOf(since, until) : await pickRange(shell.engines, id);
      if (range !== undefined) await (await controller()).open(id, range);
    },

    async showChanges(argument, key) {
      const changes = await controller();
      if (typeof argument !== 'string') await changes.showAll();
      else await changes.show(argument, typeof key === 'string' ? key : undefined);
    },

    keepChange: async (argument) => (await controller()).keep(targetOf(argument)),
    revertChange: async (argument) => (await controller()).revert(targetOf(argument)),
    undoRevert: async () => (await controller()).undo(),
    nextChange: async () => (await controller()).next(1),
    previousChange: async () => (await controller()).next(-1),
    closeChanges: async () => (await controller()).close(),

    /** In the editor of an edit that an agent asks about. */
    async allowEdited(argument) {
      const edits = await shell.edits.get();
      await edits.allowWithEdits(argument instanceof vscode.Uri ? argument : undefined);
    },

    /** For the session whose changes are reviewed. */
    async addSessionTrailer() {
      const { review } = await controller();
      if (review === undefined) return;
      const { addTrailer } = await import('../../review/commitTrailer.ts');
      const link = sessionLink(vscode.env.uriScheme, extension, { session: review.id });
      await addTrailer(review.handle.summary().project_dir ?? '', `Vitrine-Session: ${link}`);
    },
  };
}

function rangeOf(since: unknown, until: unknown): { since: number; until?: number } {
  return {
    since: typeof since === 'number' ? since : 0,
    ...(typeof until === 'number' && { until }),
  };
}

function targetOf(argument: unknown): ReviewTarget {
  if (typeof argument === 'string') return argument;
  return isNode(argument) ? argument : undefined;
}

/** A tree row, which VS Code returns unchanged. */
function isNode(value: unknown): value is Exclude<ReviewTarget, string | undefined> {
  return isObject(value) && isObject(value['file']) && Array.isArray(value['file']['hunks']);
}
