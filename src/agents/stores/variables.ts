/** Variables that move the stores of agents, and those that name an operating system's data folders. */
export const storeVariables: readonly string[] = [
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'COPILOT_HOME',
  'GEMINI_CLI_HOME',
  'QWEN_HOME',
  'QWEN_RUNTIME_DIR',
  'OPENCODE_DB',
  'CURSOR_CONFIG_DIR',
  'PI_CODING_AGENT_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'APPDATA',
];
