import type { JsonObject } from '../../model/text/json.ts';
import type { McpServer } from '../../model/agent/mcpServer.ts';
import type { CommandLine, CommandRequest } from '../adapter.ts';
import { argsOfMode } from '../shared/choices.ts';
import { requireUuid } from '../shared/conversationId.ts';
import { serversFile } from '../shared/mcp.ts';
import { isAtLeastOrUnknown } from '../../model/text/versions.ts';
import { geminiChoices } from './choices.ts';

/** First version that asks to trust the folder, and has an option to skip that; earlier versions refuse the option. */
const trustSince = '0.39.1';

/**
 * `gemini -o stream-json` with the prompt on stdin, which makes it run without a terminal.
 * @throws UnusableConversationIdError
 */
export function geminiCommand(request: CommandRequest): CommandLine {
  const { prompt, options, program, resume, newSessionId } = request;
  const warnings: string[] = [];
  const args = ['--output-format', 'stream-json'];
  // Vitrine starts nothing in an untrusted workspace, so this folder is trusted.
  if (isAtLeastOrUnknown(program.version, trustSince)) args.push('--skip-trust');
  let sessionId: string;
  if (resume === undefined) {
    sessionId = newSessionId;
    args.push('--session-id', newSessionId);
  } else {
    // A number would be a position in the list of sessions.
    sessionId = requireUuid('Gemini CLI', resume);
    args.push('--resume', sessionId);
  }
  if (options.model !== undefined) args.push(`--model=${options.model}`);
  const mode = argsOfMode(geminiChoices, options.permissionMode);
  if (mode !== undefined) args.push(...mode);
  else warnings.push(`Gemini CLI has no permission mode ${options.permissionMode ?? ''}; it runs as configured.`);
  if (options.maxTurns !== undefined) {
    warnings.push('Gemini CLI takes its turn limit only from its settings (model.maxSessionTurns).');
  }
  if (options.maxBudgetUsd !== undefined) warnings.push('Gemini CLI has no budget limit, so it runs without one.');
  if (options.appendSystemPrompt !== undefined && options.appendSystemPrompt !== '') {
    warnings.push('Gemini CLI has no option to add to the system prompt, so it runs without the addition.');
  }
  const { args: mcp, ...sideFiles } = serversFile(request, describeServer(options.trustedServers), (file) => ({
    args: [],
    variables: { [defaultsVariable]: file },
  }));
  args.push(...mcp, ...(options.extraArgs ?? []));
  return { args, stdin: prompt, sessionId, warnings, ...sideFiles };
}

/** Default settings, which those of the user and the workspace override. Their servers are added to these. */
const defaultsVariable = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH';

const describeServer =
  (trusted: readonly string[] = []) =>
  (server: McpServer, name: string): JsonObject => {
    const trust = trusted.includes(name) ? { trust: true } : {};
    if (server.type === 'http') return { httpUrl: server.url, headers: server.headers, ...trust };
    const { command, args, env } = server;
    return { command, args, env, ...trust };
  };
