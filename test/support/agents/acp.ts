import { installAgent, type InstallResult } from './install.ts';

export const claudeAcpVersion = '0.100.0';
export const codexAcpVersion = '2.6.0';

/** The ACP adapter for Claude Code; its SDK includes the program for this platform. */
export function ensureClaudeAcp(): Promise<InstallResult> {
  const name = '@agentclientprotocol/claude-agent-acp';
  const label = 'Claude Agent (ACP)';
  return installAgent({ label, folder: 'claude-agent-acp', name, version: claudeAcpVersion, file: 'dist/index.js' });
}

/** The ACP adapter for Codex. */
export function ensureCodexAcp(): Promise<InstallResult> {
  const name = '@agentclientprotocol/codex-acp';
  const label = 'Codex (ACP)';
  return installAgent({ label, folder: 'codex-acp', name, version: codexAcpVersion, file: 'dist/index.js' });
}
