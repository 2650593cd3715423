import * as vscode from 'vscode';
import { isObject } from '../../model/text/json.ts';
import type { RunDefaults } from './askForRun.ts';
import { findInFolder, warnOutsideWorkspace } from './steps/editorPlaces.ts';
import { excerpt, placeText, type Excerpt } from './steps/excerpt.ts';

const { t } = vscode.l10n;

/** Problems from the quick fix, or at the cursor. */
export function problemFromArgument(argument: unknown): RunDefaults | undefined {
  const { uri, diagnostics } = isObject(argument) ? argument : {};
  const editor = vscode.window.activeTextEditor;
  const target = uri instanceof vscode.Uri ? uri : editor?.document.uri;
  const place = target === undefined ? undefined : findInFolder(target);
  if (target === undefined || place === undefined) {
    warnOutsideWorkspace();
    return undefined;
  }
  const all = vscode.languages.getDiagnostics(target);
  const problems = Array.isArray(diagnostics)
    ? all.filter((diagnostic) => diagnostics.some((selected) => isSameProblem(diagnostic, selected)))
    : all.filter(({ range }) => editor !== undefined && range.intersection(editor.selection) !== undefined);
  if (problems.length === 0) {
    void vscode.window.showInformationMessage(t('There is no problem at the cursor.'));
    return undefined;
  }
  const prompt = problems.length === 1 ? t('Fix this problem.') : t('Fix these problems.');
  const document = vscode.workspace.textDocuments.find(
    (textDocument) => textDocument.uri.toString() === target.toString(),
  );
  return {
    folder: place.folder,
    prompt,
    excerpts: problems.map((problem) => problemExcerpt(place.path, problem, document)),
  };
}

function isSameProblem({ message, range }: vscode.Diagnostic, argument: unknown): boolean {
  return argument instanceof vscode.Diagnostic && argument.message === message && argument.range.isEqual(range);
}

function problemExcerpt(file: string, problem: vscode.Diagnostic, document: vscode.TextDocument | undefined): Excerpt {
  const { message, range, source, code } = problem;
  const number = typeof code === 'object' ? code.value : code;
  const who = [source, number].filter((part) => part !== undefined).join(' ');
  const place = { path: file, from: range.start.line + 1, to: range.end.line + 1 };
  const lines = document?.getText(new vscode.Range(range.start.line, 0, range.end.line + 1, 0));
  const shown = excerpt(place, lines === undefined ? undefined : { text: lines, language: document?.languageId ?? '' });
  const text = `${placeText(place)}: ${message}${who === '' ? '' : ` (${who})`}`;
  return { label: shown.label, text: `${text}${shown.text.slice(shown.label.length)}` };
}

/** Offers agents as quick fixes. */
export class AgentFixes implements vscode.CodeActionProvider {
  static register(): vscode.Disposable {
    const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
    return vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, new AgentFixes(), kinds);
  }

  provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (diagnostics.length === 0 || findInFolder(document.uri) === undefined) return [];
    const title =
      diagnostics.length === 1
        ? t('Ask an agent to fix this problem (Vitrine)')
        : t('Ask an agent to fix these problems (Vitrine)');
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.diagnostics = [...diagnostics];
    action.command = {
      title,
      command: 'vitrine.runAgentOnProblem',
      arguments: [{ uri: document.uri, diagnostics: [...diagnostics] }],
    };
    return [action];
  }
}
