import { code } from './describe.ts';
import type { Line } from './line.ts';
import { nonEmpty, type InitLine } from './wire.ts';
import type { NewEntry } from './writer.ts';

/** The entry of `system/init`: what the agent starts with, readable, and its long lists as metadata of this entry. */
export function initEntry(init: InitLine, line: Line): NewEntry {
  return {
    type: { kind: 'system_message', subtype: 'init' },
    content: initText(init, nonEmpty(line.message['session_id'])),
    timestamp: line.timestamp,
    metadata: line.metadataWith({
      tools: init.tools,
      slashCommands: init.slash_commands,
      agents: init.agents,
      apiKeySource: init.apiKeySource ?? null,
      claudeCodeVersion: init.claude_code_version ?? null,
      cwd: init.cwd ?? null,
    }),
  };
}

function initText(init: InitLine, sessionId: string | undefined): string {
  const servers = init.mcp_servers ?? [];
  const facts: (readonly [string, string | undefined])[] = [
    ['Session', sessionId === undefined ? undefined : code(sessionId)],
    ['Model', init.model === undefined ? undefined : code(init.model)],
    ['Folder', init.cwd === undefined ? undefined : code(init.cwd)],
    ['Permission mode', init.permissionMode],
    ['Tools', init.tools.length === 0 ? undefined : String(init.tools.length)],
    ['MCP servers', servers.map(({ name, status }) => `${name} (${status})`).join(', ') || undefined],
    ['Claude Code', init.claude_code_version],
  ];
  const known = facts.flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`]));
  return known.length === 0 ? 'The agent started' : known.join('\n');
}
