import type { CommandLine, CommandRequest, SideFiles } from '../adapter.ts';
import { argsOfMode } from '../shared/choices.ts';
import { requireUuid } from '../shared/conversationId.ts';
import { serversFile } from '../shared/mcp.ts';
import { isAtLeastOrUnknown } from '../../model/text/versions.ts';
import { copilotChoices } from './choices.ts';
import { sessionInLog } from './wire.ts';

/**
 * First versions with an option, from the change log in the program. Measured: the file with tokens is in 1.0.83 but not in
 * 1.0.60; the credit limit is in 1.0.102.
 */
export const optionsSince = {
  json: '0.0.422',
  planMode: '1.0.23',
  sessionId: '1.0.51',
  usageFile: '1.0.83',
  maxAiCredits: '1.0.102',
  mcpConfig: '0.0.343',
} as const;

/**
 * `copilot` with the prompt on stdin, which makes it run without a terminal. Values follow `=`, so that none is taken for
 * an option.
 * @throws UnusableConversationIdError
 */
export function copilotCommand(request: CommandRequest): CommandLine {
  const { prompt, options, program, resume, newSessionId, runFolder } = request;
  const { version } = program;
  const has = (feature: keyof typeof optionsSince) => isAtLeastOrUnknown(version, optionsSince[feature]);
  const warnings: string[] = [];
  const args = has('json') ? ['--output-format', 'json', '--stream', 'on'] : ['--stream', 'off'];
  let sessionId: string | null = null;
  if (resume !== undefined) {
    // It would also accept a name or the beginning of an id.
    sessionId = requireUuid('Copilot CLI', resume);
    args.push(`--resume=${sessionId}`);
  } else if (has('sessionId')) {
    sessionId = newSessionId;
    args.push(`--session-id=${newSessionId}`);
  }
  if (options.model !== undefined) args.push(`--model=${options.model}`);
  args.push(...permissions(options.permissionMode ?? 'default', has('planMode'), warnings));
  if (options.maxTurns !== undefined) warnings.push('Copilot CLI has no turn limit, so it runs without one.');
  if (options.maxBudgetUsd !== undefined) {
    warnings.push('Copilot CLI limits AI credits, not US dollars, so it runs without this limit.');
  }
  if (options.maxAiCredits !== undefined) {
    if (has('maxAiCredits')) args.push(`--max-ai-credits=${options.maxAiCredits}`);
    else warnings.push(`Copilot CLI ${version ?? ''} has no AI credit limit, so it runs without one.`);
  }
  if (options.appendSystemPrompt !== undefined && options.appendSystemPrompt !== '') {
    warnings.push('Copilot CLI has no option to add to the system prompt, so it runs without the addition.');
  }
  const sideFiles = runFolder === undefined ? undefined : sideFilesIn(runFolder, has('usageFile'), sessionId !== null);
  if (sideFiles?.usage !== undefined) args.push(`--usage-output-file=${sideFiles.usage}`);
  if (sideFiles?.log !== undefined) args.push(`--log-dir=${sideFiles.log.folder}`, '--log-level=info');
  const { args: mcp, ...serverFiles } = serversFile(
    request,
    (server) => ({ ...server, type: server.type === 'stdio' ? 'local' : 'http', tools: ['*'] }),
    (file) => ({
      args: [
        `--additional-mcp-config=@${file}`,
        ...(options.trustedServers ?? []).map((name) => `--allow-tool=${name}`),
      ],
    }),
  );
  if (has('mcpConfig')) args.push(...mcp);
  else if (mcp.length > 0)
    warnings.push(`Copilot CLI ${version ?? ''} does not accept MCP servers per run, so it uses only its own.`);
  args.push(...(options.extraArgs ?? []));
  return { args, stdin: prompt, sessionId, warnings, ...serverFiles, ...(sideFiles !== undefined && { sideFiles }) };
}

function permissions(mode: string, planMode: boolean, warnings: string[]): readonly string[] {
  const known = argsOfMode(copilotChoices, mode);
  if (known !== undefined && (mode !== 'plan' || planMode)) return known;
  warnings.push(
    `This version of Copilot CLI has no permission mode ${mode}, so actions that require permission are denied.`,
  );
  return [];
}

/** Only the log has the conversation's id early, unless Vitrine sets it. */
function sideFilesIn(folder: string, usage: boolean, idKnown: boolean): SideFiles | undefined {
  if (!usage && idKnown) return undefined;
  return {
    ...(usage && { usage: `${folder}/usage.json` }),
    ...(!idKnown && {
      log: { folder: `${folder}/log`, namesConversation: (line) => sessionInLog(line) !== undefined },
    }),
  };
}
