import { acpPresets } from '../../../agents/acp/presets.ts';
import { agentChoices } from '../../../agents/choices.ts';
import type { AgentName } from '../runMemory.ts';

/** The agent's installation page; `undefined` for agents from the settings. */
export function installAddress({ agent, profile }: AgentName): string | undefined {
  const npm = agent === 'acp' ? acpPresets.find(({ id }) => id === profile)?.npm : undefined;
  return npm === undefined ? agentChoices.get(agent)?.install : `https://www.npmjs.com/package/${npm}`;
}

/** The setting with an agent's path or address. */
export function placeSetting({ agent }: AgentName): string {
  if (agent === 'acp-http') return 'vitrine.acpHttp.servers';
  const name = agentChoices.get(agent)?.settings;
  return name === undefined ? 'vitrine.acp.agents' : `vitrine.${name}.path`;
}
