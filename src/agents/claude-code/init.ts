import { code } from '../shared/describe.ts';
import type { Line } from './line.ts';
import { nonEmpty } from '../shared/guards.ts';
import type { InitLine } from './wire.ts';
import type { NewEntry } from '../shared/normalizer/entryWriter.ts';

/** The entry of `system/init`: the agent's configuration for people, with long lists in the metadata. */
export function initEntry(init: InitLine, line: Line): NewEntry {
  return {
    type: { kind: 'system_message', subtype: 'init' },
    content: initText(init, nonEmpty(line.message['session_id'])),
    timestamp: line.timestamp,
    metadata: line.metadataWith({
      tools: init.tools,
      slashCommands: init.slashCommands,
      agents: init.agents,
      apiKeySource: init.apiKeySource ?? null,
      claudeCodeVersion: init.version ?? null,
      cwd: init.cwd ?? null,
    }),
  };
}

function initText(init: InitLine, sessionId: string | undefined): string {
  let shown = '';
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') shown += `${shown === '' ? '' : '\n'}- ${name}: ${value}`;
  };
  add('Session', sessionId === undefined ? undefined : code(sessionId));
  add('Model', init.model === undefined ? undefined : code(init.model));
  add('Folder', init.cwd === undefined ? undefined : code(init.cwd));
  add('Permission mode', init.permissionMode);
  if (init.tools.length > 0) add('Tools', String(init.tools.length));
  add('MCP servers', init.servers?.map(({ name, status }) => `${name} (${status})`).join(', '));
  add('Claude Code', init.version);
  return shown === '' ? 'The agent started' : shown;
}
