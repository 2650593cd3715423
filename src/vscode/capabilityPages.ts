import * as vscode from 'vscode';
import type { AgentReport } from '../engine/api.ts';
import { CarriedCount, type Carried } from '../insight/carried.ts';
import { capabilityNames, type Capabilities, type CapabilityName } from '../model/capabilities.ts';
import type { EngineHost } from './engine/engineHost.ts';
import { alignedTable, plainMarkdown } from './markdownText.ts';
import { ReadOnlyPages } from './readOnlyPages.ts';
import { protocolOf } from './run/agentItems.ts';
import { titleOf } from './sessionRow.ts';

const { t } = vscode.l10n;
const scheme = 'vitrine-capabilities';
const atOnce = 500;

function nameText(name: CapabilityName): string {
  switch (name) {
    case 'resume':
      return t('Resume');
    case 'fork':
      return t('Fork');
    case 'approvals':
      return t('Approvals');
    case 'thinking':
      return t('Thinking');
    case 'toolResults':
      return t('Tool results');
    case 'usage':
      return t('Tokens');
    case 'cost':
      return t('Cost');
    case 'subagents':
      return t('Subagents');
    case 'midRunMessages':
      return t('Mid-run messages');
    case 'modelChoice':
      return t('Model choice');
    case 'mcp':
      return t('MCP');
  }
}

/** What agents can do side by side, and what one session really had, as pages to read. */
export class CapabilityPages implements vscode.Disposable {
  readonly #engines: EngineHost;
  readonly #pages: ReadOnlyPages;

  constructor(engines: EngineHost) {
    this.#engines = engines;
    this.#pages = new ReadOnlyPages(scheme, (uri) => (uri.query === '' ? this.#agents() : this.#session(uri.query)));
  }

  compare(): Promise<void> {
    return this.#pages.preview(vscode.Uri.from({ scheme, path: `/${t('Compare Agents')}.md` }));
  }

  showSession(id: string): Promise<void> {
    return this.#pages.preview(vscode.Uri.from({ scheme, path: `/${t('What This Session Carried')}.md`, query: id }));
  }

  dispose(): void {
    this.#pages.dispose();
  }

  async #agents(): Promise<string> {
    const agents = (await (await this.#engines.get()).agents()).filter(({ recording }) => !recording);
    const table = [
      ['', ...capabilityNames.map(nameText)],
      ...agents.map((agent) => [agentText(agent), ...capabilityNames.map((name) => word(agent.capabilities[name]))]),
    ];
    const legend = t('“partly” and “no” have their reasons below. A version that is not known counts as the newest.');
    const reasons = agents.map((agent) => `## ${agentText(agent)}\n\n${reasonLines(agent.capabilities).join('\n')}`);
    return `# ${t('Compare Agents')}\n\n${alignedTable(table)}\n\n${legend}\n\n${reasons.join('\n\n')}\n`;
  }

  async #session(id: string): Promise<string> {
    const [engine, { adapters }, { capabilitiesOf }] = await Promise.all([
      this.#engines.get(),
      import('../agents/registry.ts'),
      import('../agents/adapter.ts'),
    ]);
    const handle = await engine.open(id);
    try {
      const summary = handle.summary();
      const { executor_type: type, agent_version: version, agent_label: label } = summary;
      const adapter = adapters.find((each) => each.type === type);
      const reports = adapter === undefined ? await engine.agents() : [];
      const capabilities =
        adapter === undefined
          ? reports.find((report) => report.type === type)?.capabilities
          : capabilitiesOf(adapter, version);
      if (capabilities === undefined) return `# ${t('What This Session Carried')}\n`;
      const count = new CarriedCount();
      for (let from = 0; from < handle.total(); from += atOnce) {
        for (const entry of await handle.read(from, from + atOnce)) count.add(entry);
      }
      const rows = count.all(summary, capabilities).map(carriedRow);
      const table = [[t('Capability'), t('In this session'), t('Remark')], ...rows];
      const agent = [label, version].filter((each) => each !== null).join(' ');
      const about = `- ${t('Session')}: ${plainMarkdown(titleOf(summary))} (${id})\n- ${t('Agent')}: ${plainMarkdown(agent)}`;
      return `# ${t('What This Session Carried')}\n\n${about}\n\n${alignedTable(table)}\n`;
    } finally {
      handle.dispose();
    }
  }
}

function agentText(agent: AgentReport): string {
  const { label, program } = agent;
  const version = program !== null && 'path' in program ? program.version : null;
  const missing = program !== null && 'message' in program;
  const about = [...protocolOf(agent), ...(missing ? [t('not found')] : [])];
  return plainMarkdown(
    `${label}${version === null ? '' : ` ${version}`}${about.length === 0 ? '' : ` (${about.join(', ')})`}`,
  );
}

function word({ supported, reason }: Capabilities[CapabilityName]): string {
  if (!supported) return t('no');
  return reason === undefined ? t('yes') : t('partly');
}

function reasonLines(capabilities: Capabilities): string[] {
  return capabilityNames.flatMap((name) => {
    const { supported, reason } = capabilities[name];
    return supported && reason === undefined ? [] : [`- ${nameText(name)}: ${word(capabilities[name])}${tail(reason)}`];
  });
}

const tail = (reason: string | undefined): string => (reason === undefined ? '' : ` – ${plainMarkdown(reason)}`);

function carriedRow(carried: Carried): string[] {
  return [nameText(carried.name), carriedText(carried), plainMarkdown(carried.reason ?? '')];
}

function carriedText({ name, state, count, of }: Carried): string {
  switch (state) {
    case 'carried':
      if (name === 'cost') return t('reported by the agent');
      return of === undefined ? String(count) : t('{0} of {1}', count, of);
    case 'absent':
      return t('none in this session');
    case 'unsupported':
      return t('not from this agent');
  }
}
