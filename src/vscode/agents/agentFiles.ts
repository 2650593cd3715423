import path from 'node:path';
import * as vscode from 'vscode';
import { blueprintsFolder, type Blueprint } from '../../engine/blueprints/load.ts';
import { editBlueprint } from '../../formats/blueprint/edit.ts';
import { writeBlueprint } from '../../formats/blueprint/write.ts';
import { agentNamePattern, type Agent } from '../../model/agent/agent.ts';

const { t } = vscode.l10n;

/** Why the text cannot be the name of another agent; `undefined` if it can. */
export function nameProblem(name: string, all: readonly Blueprint[]): string | undefined {
  if (!agentNamePattern.test(name)) {
    return t('Use up to 64 letters, digits, ".", "_" and "-". Begin with a letter or a digit.');
  }
  // Some file systems ignore case.
  const taken = all.some((blueprint) => blueprint.name.toLowerCase() === name.toLowerCase());
  return taken ? t('An agent named "{0}" already exists.', name) : undefined;
}

/** Sets the status in the file. @returns false if the user must save the file first */
export async function setStatus({ file }: Pick<Blueprint, 'file'>, status: Agent['status']): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const text = document.getText();
  const set = editBlueprint(text, { status });
  const edited = set && editBlueprint(set, { modified_at: new Date().toISOString() }, { onlyExisting: true });
  if (edited === undefined) return false;
  // The user decides when to save unsaved changes.
  const { isDirty } = document;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, ...changeBetween(document, text, edited));
  return (await vscode.workspace.applyEdit(edit)) && (isDirty || (await document.save()));
}

/** The single range in which two texts differ; other cursors and decorations stay. */
function changeBetween(document: vscode.TextDocument, from: string, to: string): [vscode.Range, string] {
  let start = 0;
  while (start < Math.min(from.length, to.length) && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const range = new vscode.Range(document.positionAt(start), document.positionAt(from.length - end));
  return [range, to.slice(start, to.length - end)];
}

/** Copies the file, or its folder if it has one of its own. @returns path of the copy @throws if it exists */
export async function duplicateAgentFile({ file }: Pick<Blueprint, 'file'>, name: string): Promise<string> {
  const ending = path.extname(file);
  const folder = path.dirname(file);
  const own = path.basename(file, ending) === 'agent' && !folder.replaceAll('\\', '/').endsWith(`/${blueprintsFolder}`);
  const copy = own ? path.join(folder, '..', name, `agent${ending}`) : path.join(folder, `${name}${ending}`);
  await refuseExisting(own ? path.dirname(copy) : copy);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.file(file)));
  const now = new Date().toISOString();
  const edited = editBlueprint(text, { name, created_at: now, modified_at: now }, { onlyExisting: true });
  if (edited === undefined) throw new Error(t('Vitrine cannot copy {0} because of its format.', file));
  if (own) {
    const prompt = vscode.Uri.file(path.join(folder, 'prompt.md'));
    const target = vscode.Uri.file(path.join(path.dirname(copy), 'prompt.md'));
    if (await exists(prompt)) await vscode.workspace.fs.copy(prompt, target, { overwrite: false });
  }
  await write(copy, edited);
  return copy;
}

/** The user's input for a new agent; empty fields were skipped. */
export interface NewAgent {
  readonly name: string;
  readonly executor_type: string;
  readonly model: string;
  readonly system_prompt: string;
  /** Workspace or home folder. */
  readonly folder: string;
}

/** Creates the file and returns its path. @throws if it exists */
export async function create({ name, folder, ...fields }: NewAgent): Promise<string> {
  const file = path.join(folder, blueprintsFolder, `${name}.yaml`);
  await refuseExisting(file);
  await write(file, writeBlueprint(fields));
  return file;
}

async function write(file: string, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(vscode.Uri.file(file), new TextEncoder().encode(text));
}

async function refuseExisting(place: string): Promise<void> {
  if (await exists(vscode.Uri.file(place))) throw new Error(t('{0} already exists.', place));
}

function exists(uri: vscode.Uri): Thenable<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
