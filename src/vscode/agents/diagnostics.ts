import * as vscode from 'vscode';
import type { BlueprintProblem } from '../../formats/blueprint/problem.ts';
import type { AgentCatalogue } from './agentCatalogue.ts';

/** Shows in each file of an agent what is wrong with it. */
export function agentDiagnostics(catalogue: AgentCatalogue): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection('vitrine');
  const subscription = catalogue.onDidChange((blueprints) => {
    collection.clear();
    // All at once: what is set for one file after the other replaces what it had.
    collection.set(blueprints.map(({ file, problems }) => [vscode.Uri.file(file), problems.map(diagnostic)]));
  });
  return vscode.Disposable.from(collection, subscription);
}

function diagnostic({ severity, message, from, to }: BlueprintProblem): vscode.Diagnostic {
  const { Error, Warning } = vscode.DiagnosticSeverity;
  const range = new vscode.Range(from.line, from.character, to.line, to.character);
  const made = new vscode.Diagnostic(range, message, severity === 'error' ? Error : Warning);
  made.source = 'Vitrine';
  return made;
}
