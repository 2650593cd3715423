import * as vscode from 'vscode';
import type { BlueprintProblem } from '../../formats/blueprint/problem.ts';
import type { AgentCatalogue } from './agentCatalogue.ts';

/** Shows problems of agent files as diagnostics. */
export function agentDiagnostics(catalogue: AgentCatalogue): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection('vitrine');
  const subscription = catalogue.onDidChange((blueprints) => {
    collection.clear();
    // In one call, because setting files one by one would replace earlier entries.
    collection.set(blueprints.map(({ file, problems }) => [vscode.Uri.file(file), problems.map(diagnostic)]));
  });
  return vscode.Disposable.from(collection, subscription);
}

function diagnostic({ severity, message, from, to }: BlueprintProblem): vscode.Diagnostic {
  const { Error, Warning } = vscode.DiagnosticSeverity;
  const range = new vscode.Range(from.line, from.character, to.line, to.character);
  const item = new vscode.Diagnostic(range, message, severity === 'error' ? Error : Warning);
  item.source = 'Vitrine';
  return item;
}
