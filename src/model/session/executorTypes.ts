/** The list alone, without schemas, for code that has to be there at once. */
export const executorTypes = [
  'claude-code',
  'cursor',
  'copilot',
  'codex',
  'gemini',
  'acp',
  'acp-http',
  'replay',
] as const;
