/** Only the list, without schemas, for code that needs it at startup. */
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
