import { acpPresets, type AcpPreset } from '../../agents/acp/presets.ts';
import type { AcpProfile, EngineSettings } from '../api.ts';
import { field, nonEmpty, objects } from '../../agents/shared/guards.ts';
import type { JsonObject } from '../../model/text/json.ts';

/** An agent that can be looked for: of the settings, or one that is known to all. */
export interface AcpAgent extends AcpProfile {
  readonly preset?: AcpPreset;
}

/** Those of the settings first; one with the id of a preset takes its place, and stays what the preset knows it to be. */
export function acpAgents({ acp = [] }: EngineSettings): readonly AcpAgent[] {
  const own = acp.map((profile): AcpAgent => {
    const preset = acpPresets.find(({ id }) => id === profile.id);
    return preset === undefined ? profile : { ...profile, preset };
  });
  const presets = acpPresets.map((preset): AcpAgent => {
    const { id, label, programs, args } = preset;
    return { id, label, programs, args, preset };
  });
  return [...own, ...presets.filter(({ id }) => own.every((each) => each.id !== id))];
}

/** The id of the mode in which the agent began, where the answer that opened the conversation has it. */
export function openingMode(opened: JsonObject): string | undefined {
  const options = objects(opened['configOptions']);
  const option = options.find(({ category }) => category === 'mode') ?? options.find(({ id }) => id === 'mode');
  return nonEmpty(field(opened['modes'], 'currentModeId')) ?? nonEmpty(option?.['currentValue']);
}
