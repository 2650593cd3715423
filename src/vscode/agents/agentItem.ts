import * as vscode from 'vscode';
import type { Blueprint } from '../../engine/blueprints/load.ts';
import { executorOf } from '../../engine/blueprints/request.ts';
import type { Agent } from '../../model/agent/agent.ts';
import { literalText, visibleText } from '../text/inertText.ts';

const { t } = vscode.l10n;

/** Maximum characters per text: VS Code parses hovers as markdown, and a long text of brackets takes minutes. */
const longest = 300;

/** URI of dimmed rows. The scheme is our own, so that no other extension decorates them. */
export const inactiveUri = vscode.Uri.from({ scheme: 'vitrine-agent', path: '/inactive' });

/** Row of the Agents view. Content of the file is shown as plain text. */
export function agentItem(blueprint: Blueprint, trusted: boolean): vscode.TreeItem {
  const { file, level, agent } = blueprint;
  const name = tooltipText(blueprint.name);
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.None);
  const place = level === 'user' ? [t('home folder')] : [];
  const parts = [...(agent === null ? problemText(blueprint) : statusText(agent)), ...place].map(tooltipText);
  const inactive = agent?.status === 'inactive';
  item.id = `${level}:${file}`;
  item.description = parts.join(' · ');
  item.iconPath = iconOf(blueprint);
  if (inactive) item.resourceUri = inactiveUri;
  const why =
    agent !== null && !inactive && !trusted ? [t('Restricted Mode: this agent is listed but cannot be started.')] : [];
  item.tooltip = createTooltip(name, [...parts, tooltipText(file), ...why]);
  item.contextValue = `agent ${agent === null ? 'broken' : agent.status}`;
  item.accessibilityInformation = {
    label: [name, ...(agent === null ? [t('Error')] : []), ...parts, ...why].join(', '),
  };
  item.command = { command: 'vitrine.editAgent', title: t('Edit'), arguments: [{ file }] };
  return item;
}

function statusText(agent: Agent): string[] {
  const { status, model, description } = agent;
  const parts = [executorOf(agent), model ?? '', description].filter((text) => text !== '');
  return status === 'inactive' ? [t('inactive'), ...parts] : parts;
}

/** The first problem that prevents starting the agent, or the one that names the agent used instead. */
export function firstProblem({ problems }: Pick<Blueprint, 'problems'>): Blueprint['problems'][number] | undefined {
  return problems.find(({ severity }) => severity === 'error') ?? problems[0];
}

function problemText(blueprint: Blueprint): string[] {
  return [firstProblem(blueprint)?.message ?? ''];
}

function iconOf({ agent, problems }: Blueprint): vscode.ThemeIcon {
  if (agent?.status === 'inactive') {
    return new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));
  }
  if (agent !== null) return new vscode.ThemeIcon('robot');
  return problems.some(({ severity }) => severity === 'error')
    ? new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'))
    : new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
}

function createTooltip(name: string, lines: readonly string[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString(
    `**${literalText(name)}**\n\n${lines.map(literalText).join('  \n')}`,
    false,
  );
  tooltip.isTrusted = false;
  tooltip.supportHtml = false;
  return tooltip;
}

/** One line, with invisible characters made visible. */
function tooltipText(text: string): string {
  const line = visibleText(text.trim().replaceAll(/\s+/g, ' '));
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
