import * as vscode from 'vscode';
import type { AgentReport } from '../../engine/api.ts';
import { CapabilityCount, type SessionCapabilities } from '../../insight/session/sessionCapabilities.ts';
import { capabilityNames, type Capabilities, type CapabilityName } from '../../model/session/capabilities.ts';
import type { ReportCell } from '../../model/pages/report.ts';
import type { SessionHandle, WindowEngine } from '../engine/windowEngine.ts';
import { figures } from '../text/numberFormat.ts';
import { protocolLabels } from '../run/steps/agentItems.ts';
import { command, text } from './parts.ts';
import type { BuiltReport, ReportWork } from './reportKind.ts';
import { sessionFacts } from './sessionFacts.ts';

const { t } = vscode.l10n;
const batchSize = 500;

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
      return t('Messages during a run');
    case 'modelChoice':
      return t('Model choice');
    case 'mcp':
      return t('MCP');
  }
}

/** Compares the capabilities of this machine's agents, with reasons for missing ones. */
export async function agentComparison(engine: WindowEngine, { actions, progress }: ReportWork): Promise<BuiltReport> {
  progress(t('Looking for agents…'));
  const agents = (await engine.agents()).filter(({ recording }) => !recording);
  const reasons = agents.flatMap((agent) =>
    capabilityNames.flatMap((name) => {
      const { supported, reason } = agent.capabilities[name];
      if (supported && reason === undefined) return [];
      return [
        [text(agentText(agent)), text(nameText(name)), supportCell(agent.capabilities[name]), text(reason ?? '')],
      ];
    }),
  );
  return {
    report: {
      title: t('Compare Agents'),
      text: [
        t(
          'If the version of an agent is unknown, this page shows the capabilities of the newest version that Vitrine supports.',
        ),
      ],
      actions: [actions.add(t('Open Doctor'), 'pulse', command('vitrine.doctor'))],
      sections: [
        {
          title: t('Overview'),
          tables: [
            {
              label: t('Capabilities of each agent'),
              columns: [{ label: t('Agent') }, ...capabilityNames.map((name) => ({ label: nameText(name) }))],
              rows: agents.map((agent) => [
                text(agentText(agent)),
                ...capabilityNames.map((name) => supportCell(agent.capabilities[name])),
              ]),
            },
          ],
        },
        {
          title: t('Limits and reasons'),
          tables: [
            {
              label: t('Partly supported or unsupported'),
              columns: [
                { label: t('Agent') },
                { label: t('Capability') },
                { label: t('Supported') },
                { label: t('Reason') },
              ],
              rows: reasons,
            },
          ],
        },
      ],
    },
  };
}

function agentText(agent: AgentReport): string {
  const { label, program } = agent;
  const version = program !== null && 'path' in program ? program.version : null;
  const missing = program !== null && 'message' in program;
  const about = [...protocolLabels(agent), ...(missing ? [t('not found')] : [])];
  return `${label}${version === null ? '' : ` ${version}`}${about.length === 0 ? '' : ` (${about.join(', ')})`}`;
}

function supportCell({ supported, reason }: Capabilities[CapabilityName]): ReportCell {
  if (!supported) return { text: t('no'), sort: 2, tone: 'dim' };
  return reason === undefined ? { text: t('yes'), sort: 0, tone: 'good' } : { text: t('partly'), sort: 1 };
}

/** Evidence in one session for each of its agent's capabilities. Reads every entry. */
export async function buildSessionCapabilityReport(
  engine: WindowEngine,
  handle: SessionHandle,
  { actions, progress, signal }: ReportWork,
): Promise<BuiltReport> {
  const summary = handle.summary();
  const base = {
    title: t('Session Capabilities'),
    facts: sessionFacts(summary),
    actions: [
      actions.add(t('Open Session'), 'comment-discussion', command('vitrine.openSession', handle.id)),
      actions.add(t('Compare Agents'), 'list-flat', command('vitrine.compareAgents')),
    ],
  };
  const capabilities = await capabilitiesOfSession(engine, summary);
  if (capabilities === undefined)
    return { report: { ...base, text: [t('Vitrine does not recognize this agent.')], sections: [] } };
  const count = new CapabilityCount();
  const total = handle.entryCount();
  for (let from = 0; from < total && !signal.aborted; from += batchSize) {
    progress(t('Reading entries…'), from / total);
    for (const entry of await handle.read(from, from + batchSize)) count.add(entry);
  }
  const columns = [{ label: t('Capability') }, { label: t('In this session') }, { label: t('Notes') }];
  const rows = count
    .all(summary, capabilities)
    .map((inherited) => [text(nameText(inherited.name)), capabilityCell(inherited), text(inherited.reason ?? '')]);
  const table = { label: t('Capabilities used in this session'), columns, rows };
  return { report: { ...base, tables: [table], sections: [] } };
}

async function capabilitiesOfSession(
  engine: WindowEngine,
  { executor_type: type, agent_version: version }: ReturnType<SessionHandle['summary']>,
): Promise<Capabilities | undefined> {
  const [{ adapters }, { capabilitiesOf }] = await Promise.all([
    import('../../agents/registry.ts'),
    import('../../agents/adapter.ts'),
  ]);
  const adapter = adapters.find((agentAdapter) => agentAdapter.type === type);
  if (adapter !== undefined) return capabilitiesOf(adapter, version);
  return (await engine.agents()).find((report) => report.type === type)?.capabilities;
}

function capabilityCell({ name, state, count, of }: SessionCapabilities): ReportCell {
  switch (state) {
    case 'carried':
      if (name === 'cost') return text(t('reported by the agent'));
      return { text: of === undefined ? countText(name, count) : t('{0} of {1}', count, of), sort: count };
    case 'absent':
      return { text: t('none in this session'), sort: 0, tone: 'dim' };
    case 'unsupported':
      return { text: t('not supported by this agent'), sort: null, tone: 'dim' };
  }
}

function countText(name: CapabilityName, count: number): string {
  if (name === 'usage') return t('reported by the agent');
  const amount = figures.count(count);
  return name === 'modelChoice' ? t('models used: {0}', amount) : amount;
}
