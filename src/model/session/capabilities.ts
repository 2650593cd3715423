export const capabilityNames = [
  'resume',
  'fork',
  'approvals',
  'thinking',
  'toolResults',
  'usage',
  'cost',
  'subagents',
  'midRunMessages',
  'modelChoice',
  'mcp',
] as const;
export type CapabilityName = (typeof capabilityNames)[number];

/** What an agent can do; `reason` says why it cannot, or with which limit. */
export type Capabilities = Readonly<Record<CapabilityName, { readonly supported: boolean; readonly reason?: string }>>;
