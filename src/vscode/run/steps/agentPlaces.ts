import { acpPresets } from '../../../agents/acp/presets.ts';
import { agentChoices } from '../../../agents/choices.ts';
import type { AgentName } from '../runMemory.ts';

/** Where the makers of an agent say how to get it; `undefined` for one that only the user's settings know. */
export function installAddress({ agent, profile }: AgentName): string | undefined {
  const npm = agent === 'acp' ? acpPresets.find(({ id }) => id === profile)?.npm : undefined;
  return npm === undefined ? agentChoices.get(agent)?.install : `https://www.npmjs.com/package/${npm}`;
}

/** The setting that says where an agent is. */
export function placeSetting({ agent }: AgentName): string {
  if (agent === 'acp-http') return 'vitrine.acpHttp.servers';
  const name = agentChoices.get(agent)?.settings;
  return name === undefined ? 'vitrine.acp.agents' : `vitrine.${name}.path`;
}
