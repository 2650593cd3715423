import { acpPresets, type AcpPreset } from '../../agents/acp/presets.ts';
import type { AcpProfile, EngineSettings } from '../api.ts';

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
