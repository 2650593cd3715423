import * as vscode from 'vscode';
import { markdownOf } from '../../pages/markdownOf.ts';
import { inertText } from '../../text/inertText.ts';
import { canStartAgents } from '../../settings/trust.ts';
import type { Commands, CommandContext } from '../commandContext.ts';
import { sessionOfArgument } from '../pick.ts';
import { dateTime } from '../../text/dates.ts';

const { t } = vscode.l10n;

/** Sessions that a comparison may have. */
const maxSessions = 8;

/** Commands for races. Those that take a race are for the page, keybindings and other extensions. */
export function raceCommands(shell: CommandContext): Commands {
  /** Calls about worktrees run git there. */
  const inRace =
    <T>(run: (race: string, lane: string) => Promise<T>) =>
    (race: unknown, lane: unknown): Promise<T> | undefined =>
      typeof race === 'string' && canStartAgents() ? run(race, typeof lane === 'string' ? lane : '') : undefined;
  return {
    async showRaces(race) {
      if (!canStartAgents()) return undefined;
      const id = typeof race === 'string' ? race : await pickRace(shell);
      return id === undefined ? undefined : markdownOf(await shell.reports.show('race', id));
    },

    /** VS Code gives the row, and all selected rows if it is one of them. */
    async compareSessions(first, all) {
      const selected = (Array.isArray(all) ? all : [first]).flatMap((argument) => sessionOfArgument(argument) ?? []);
      const ids = selected.length < 2 ? await pickSessions(shell, selected) : selected;
      if (ids.length === 0) return undefined;
      if (ids.length < 2 || ids.length > maxSessions) {
        void vscode.window.showInformationMessage(t('Select 2 to {0} sessions to compare.', maxSessions));
        return undefined;
      }
      return markdownOf(await shell.reports.show('sessions', ids.join(',')));
    },

    stopRace: inRace(async (race) => (await shell.engines.get()).races.stop(race)),
    applyRace: inRace(async (race, lane) => {
      const { applyResult } = await import('../../races/raceActions.ts');
      return applyResult(await shell.engines.get(), race, lane);
    }),
    undoRace: inRace(async (race) => {
      const { undoApply } = await import('../../races/raceActions.ts');
      return undoApply(await shell.engines.get(), race);
    }),
    branchRace: inRace(async (race, lane) => {
      const { branchOfResult } = await import('../../races/raceActions.ts');
      return branchOfResult(await shell.engines.get(), race, lane);
    }),
    cleanRace: inRace(async (race) => {
      const { cleanUp } = await import('../../races/raceActions.ts');
      return cleanUp(await shell.engines.get(), race);
    }),
    showRaceChanges: inRace(async (race, lane) => {
      const { showChanges } = await import('../../races/raceActions.ts');
      return showChanges(await shell.engines.get(), race, lane);
    }),
  };
}

/** Races of this workspace, newest first. */
async function pickRace({ engines }: CommandContext): Promise<string | undefined> {
  const all = await (await engines.get()).races.list();
  const openRaces = all.filter(
    ({ folder }) => vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) !== undefined,
  );
  if (openRaces.length === 0) {
    void vscode.window.showInformationMessage(
      t('There is no race in this workspace. To start one, choose “Run on Several Agents…” in Run Agent.'),
    );
    return undefined;
  }
  const items = openRaces.map(({ race_id: id, prompt, lanes, created_at: at, state }) => ({
    label: inertText(prompt.trim().split('\n', 1)[0]?.slice(0, 80) ?? ''),
    description: inertText(lanes.map(({ name }) => name).join(', ')),
    detail: dateTime(at),
    iconPath: new vscode.ThemeIcon(state === 'running' ? 'loading~spin' : 'split-horizontal'),
    id,
  }));
  return (await vscode.window.showQuickPick(items, { title: t('Races') }))?.id;
}

async function pickSessions({ loader, list }: CommandContext, picked: readonly string[]): Promise<readonly string[]> {
  await loader.load();
  const { titleOf } = await import('../../sessions/sessionRow.ts');
  const rows = list.visible().filter(({ shared, observed }) => shared === undefined && observed === undefined);
  const items = [...rows]
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at))
    .map((row) => ({
      label: inertText(titleOf(row)),
      description: dateTime(row.updated_at),
      picked: picked.includes(row.session_id),
      id: row.session_id,
    }));
  const options = { title: t('Compare Sessions'), canPickMany: true as const };
  return ((await vscode.window.showQuickPick(items, options)) ?? []).map(({ id }) => id);
}
