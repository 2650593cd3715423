import * as vscode from 'vscode';
import type { Blueprint } from '../../../engine/blueprints/load.ts';
import { isObject } from '../../../model/text/json.ts';
import { inertText } from '../../text/inertText.ts';
import type { Commands, CommandContext } from '../commandContext.ts';

const { t } = vscode.l10n;

/** Commands of the Agents view. Each takes `{file}` from a row. */
export function agentFileCommands({ agents, engines }: Pick<CommandContext, 'agents' | 'engines'>): Commands {
  const found = async (argument: unknown): Promise<Blueprint | undefined> => {
    const file = isObject(argument) ? argument['file'] : undefined;
    return (await agents.load()).find((blueprint) => blueprint.file === file);
  };

  const setStatus = async (argument: unknown, status: 'active' | 'inactive'): Promise<void> => {
    const blueprint = await found(argument);
    if (blueprint?.agent === null || blueprint === undefined) return;
    const files = await import('../../agents/agentFiles.ts');
    if (await files.setStatus(blueprint, status)) return agents.refresh();
    await vscode.window.showTextDocument(vscode.Uri.file(blueprint.file));
    const text = t('Vitrine cannot edit this file because of its format. Set "status" to "{0}" yourself.', status);
    void vscode.window.showWarningMessage(text);
  };

  const openNewFile = async (file: string): Promise<string> => {
    await agents.refresh();
    await vscode.window.showTextDocument(vscode.Uri.file(file));
    return file;
  };

  return {
    /** Opens the file at its first problem. */
    async editAgent(argument) {
      const blueprint = await found(argument);
      if (blueprint === undefined) return;
      const { firstProblem } = await import('../../agents/agentItem.ts');
      const problem = blueprint.agent === null ? firstProblem(blueprint) : undefined;
      await vscode.window.showTextDocument(vscode.Uri.file(blueprint.file), {
        ...(problem !== undefined && {
          selection: new vscode.Range(
            new vscode.Position(problem.from.line, problem.from.character),
            new vscode.Position(problem.to.line, problem.to.character),
          ),
        }),
      });
    },

    /** Also takes the new name as `to`. Returns the path of the copy. */
    async duplicateAgent(argument) {
      const blueprint = await found(argument);
      if (blueprint === undefined) return undefined;
      const to = isObject(argument) && typeof argument['to'] === 'string' ? argument['to'] : undefined;
      const title = t('Duplicate {0}', inertText(blueprint.name));
      const name = await nameOf(await agents.load(), title, to, `${blueprint.name}-copy`);
      if (name === undefined) return undefined;
      return openNewFile(await (await import('../../agents/agentFiles.ts')).duplicateAgentFile(blueprint, name));
    },

    /** Toggles between active and inactive. */
    async toggleAgent(argument) {
      const status = (await found(argument))?.agent?.status;
      if (status !== undefined) await setStatus(argument, status === 'active' ? 'inactive' : 'active');
    },
    deactivateAgent: (argument) => setStatus(argument, 'inactive'),
    activateAgent: (argument) => setStatus(argument, 'active'),

    /** Asks for the fields, opens the new file and returns its path. */
    async newAgent() {
      const { askForAgent } = await import('../../agents/newAgent.ts');
      const reports = async () => (await engines.get()).agents();
      const answers = await askForAgent({ all: await agents.load(), reports });
      return answers && openNewFile(await (await import('../../agents/agentFiles.ts')).create(answers));
    },
  };
}

/** Asks for the name unless it is given. Rejects invalid names in both cases. */
async function nameOf(
  all: readonly Blueprint[],
  title: string,
  suggested?: string,
  value = '',
): Promise<string | undefined> {
  const { nameProblem } = await import('../../agents/agentFiles.ts');
  const why = suggested === undefined ? undefined : nameProblem(suggested, all);
  if (why !== undefined) void vscode.window.showErrorMessage(inertText(why));
  if (suggested !== undefined) return why === undefined ? suggested : undefined;
  return vscode.window.showInputBox({
    title,
    value,
    prompt: t('Name of the copy, used to run the agent and as the file name.'),
    validateInput: (name) => nameProblem(name, all),
    ignoreFocusOut: true,
  });
}
