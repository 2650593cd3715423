/**
 * How a run spends its time. `waiting`: a model was asked and nothing has arrived; for agents that print only complete texts,
 * until the text arrives. `you`: the agent waits for a person.
 */
export const runPhases = ['waiting', 'thinking', 'writing', 'tools', 'you'] as const;
export type Phase = (typeof runPhases)[number];
