import * as vscode from 'vscode';
import { withTrailer } from '../../text/commitTrailer.ts';
import { isObject } from '../../model/text/json.ts';

const { t } = vscode.l10n;

/** The parts of a repository of VS Code's git extension that are used. */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
}

/** Adds a trailer to the commit message of the repository that holds the folder. */
export async function addTrailer(folder: string, trailer: string): Promise<void> {
  const repository = (await repositories()).find(({ rootUri }) => isInside(rootUri.fsPath, folder));
  if (repository === undefined) {
    void vscode.window.showInformationMessage(
      t('The session’s folder is not in a git repository that is open in this window.'),
    );
    return;
  }
  repository.inputBox.value = withTrailer(repository.inputBox.value, trailer);
  await vscode.commands.executeCommand('workbench.view.scm');
}

async function repositories(): Promise<readonly Repository[]> {
  const extension = vscode.extensions.getExtension<unknown>('vscode.git');
  const git: unknown = await extension?.activate();
  const api = isObject(git) && git['enabled'] === true ? call(git, 'getAPI', 1) : undefined;
  const found: unknown = isObject(api) ? api['repositories'] : undefined;
  return Array.isArray(found) ? found.filter(isRepository) : [];
}

function call(target: Readonly<Record<string, unknown>>, name: string, argument: unknown): unknown {
  const method = target[name];
  return typeof method === 'function' ? (Reflect.apply(method, target, [argument]) as unknown) : undefined;
}

function isRepository(value: unknown): value is Repository {
  if (typeof value !== 'object' || value === null || !('rootUri' in value) || !('inputBox' in value)) return false;
  const { inputBox } = value;
  return (
    value.rootUri instanceof vscode.Uri && typeof inputBox === 'object' && inputBox !== null && 'value' in inputBox
  );
}

function isInside(root: string, folder: string): boolean {
  const separator = process.platform === 'win32' ? '\\' : '/';
  return folder === root || folder.startsWith(root.endsWith(separator) ? root : root + separator);
}
