import { acpPresets, type AcpPreset } from '../../agents/acp/presets.ts';
import type { AcpProfile, EngineSettings } from '../api.ts';
import { field, nonEmpty, objects } from '../../agents/shared/guards.ts';
import type { JsonObject } from '../../model/text/json.ts';

/** An agent from the settings or a preset. */
export interface AcpAgent extends AcpProfile {
  readonly preset?: AcpPreset;
}

/** Agents from the settings come first. One with a preset's id replaces it, but keeps the preset's properties. */
export function acpAgents({ acp = [] }: EngineSettings): readonly AcpAgent[] {
  const own = acp.map((profile): AcpAgent => {
    const preset = acpPresets.find(({ id }) => id === profile.id);
    return preset === undefined ? profile : { ...profile, preset };
  });
  const presets = acpPresets.map((preset): AcpAgent => {
    const { id, label, programs, args } = preset;
    return { id, label, programs, args, preset };
  });
  return [...own, ...presets.filter(({ id }) => own.every((agent) => agent.id !== id))];
}

/** Id of the agent's initial mode, if the agent reported it when it opened the session. */
export function openingMode(opened: JsonObject): string | undefined {
  const options = objects(opened['configOptions']);
  const option = options.find(({ category }) => category === 'mode') ?? options.find(({ id }) => id === 'mode');
  return nonEmpty(field(opened['modes'], 'currentModeId')) ?? nonEmpty(option?.['currentValue']);
}
