import type { AgentReport } from '../../../engine/api.ts';
import type { ExecutorType } from '../../../model/session/session.ts';
import { capabilityNames, type CapabilityName } from '../../../model/session/capabilities.ts';

/** One agent: the transport with which Vitrine runs it, and another one if there is one. */
export interface AgentTransports {
  readonly agent: AgentReport;
  readonly other?: AgentReport;
}

interface Facts {
  readonly canRun: (agent: AgentReport) => boolean;
  /** The user has settings or choices for it, which apply to this executor only. */
  readonly isConfigured: (type: ExecutorType) => boolean;
}

/** Capabilities that make a run a conversation: the agent can ask, and can get messages. */
const interactive: readonly CapabilityName[] = ['approvals', 'midRunMessages'];

/**
 * One row per agent. Many agents can be run by their own protocol and by the Agent Client Protocol: the second is taken if it
 * is the only one here, or if only it can ask or be told something during a run, and it lacks nothing that the first has.
 */
export function transportsOf(agents: readonly AgentReport[], facts: Facts): readonly AgentTransports[] {
  const others = new Map(agents.flatMap((agent) => (agent.sameAs === undefined ? [] : [[agent.sameAs, agent]])));
  const own = new Set(agents.filter(({ profile }) => profile === undefined).map(({ type }) => type));
  return agents.flatMap((agent): AgentTransports[] => {
    if (agent.sameAs !== undefined) return own.has(agent.sameAs) ? [] : [{ agent }];
    const other = agent.profile === undefined && !agent.recording ? others.get(agent.type) : undefined;
    if (other === undefined || !facts.canRun(other)) return [{ agent }];
    if (!facts.canRun(agent)) return [{ agent: other }];
    const prefersOther = !facts.isConfigured(agent.type) && isBetter(other, agent) && isSameProgram(other, agent);
    return [prefersOther ? { agent: other, other: agent } : { agent, other }];
  });
}

function isBetter(a: AgentReport, b: AgentReport): boolean {
  const hasOnlyFirst = (x: AgentReport, y: AgentReport) => (name: CapabilityName) =>
    x.capabilities[name].supported && !y.capabilities[name].supported;
  return interactive.some(hasOnlyFirst(a, b)) && !capabilityNames.some(hasOnlyFirst(b, a));
}

/** Two files of one name are two installations: the settings name one of them. */
function isSameProgram(a: AgentReport, b: AgentReport): boolean {
  const [first, second] = [a, b].map(({ program }) => (program !== null && 'path' in program ? program.path : ''));
  return first === second || baseName(first) !== baseName(second);
}

function baseName(file: string | undefined): string | undefined {
  return file?.split(/[\\/]/).at(-1);
}
