/**
 * What a run spends its time on. `waiting`: the model was asked and nothing came yet; where an agent prints a text only when
 * it is whole, the time until then. `you`: the agent waited for a person.
 */
export const phases = ['waiting', 'thinking', 'writing', 'tools', 'you'] as const;
export type Phase = (typeof phases)[number];
