import type { CommandLine, CommandRequest } from '../adapter.ts';
import { canFork } from '../shared/forking.ts';
import { argsOfMode } from '../shared/choices.ts';
import { serversOf } from '../shared/mcp.ts';
import { requireUuid } from '../shared/conversationId.ts';
import { atLeast } from '../../model/text/versions.ts';
import { codexChoices } from './choices.ts';
import { codexServers, serversSince } from './servers.ts';

/** First version that prints the thread's id, which is needed to resume. */
export const threadsSince = '0.44.0';

/**
 * `codex exec --json` with the prompt on stdin, which is then closed, because newer versions wait for its end. Options
 * precede `resume`, where every version accepts them.
 * @throws UnusableConversationIdError
 */
export function codexCommand({ prompt, options, program, resume, fork }: CommandRequest): CommandLine {
  const warnings: string[] = [];
  // Vitrine starts nothing in an untrusted workspace, so Codex need not check for a repository.
  const args = ['exec', '--json', '--skip-git-repo-check'];
  if (options.model !== undefined) args.push(`--model=${options.model}`);
  const sandbox = argsOfMode(codexChoices, options.permissionMode);
  if (sandbox !== undefined) args.push(...sandbox);
  else warnings.push(`Codex has no permission mode ${options.permissionMode ?? ''}; it runs as it is configured.`);
  if (options.maxTurns !== undefined) warnings.push('Codex has no turn limit, so it runs without.');
  if (options.maxBudgetUsd !== undefined) warnings.push('Codex has no budget limit, so it runs without.');
  if (options.appendSystemPrompt !== undefined && options.appendSystemPrompt !== '') {
    warnings.push('Codex has no option to add to the system prompt; it runs without.');
  }
  const servers = serversOf({ options });
  const given = servers === undefined ? undefined : codexServers(servers);
  const takesServers = program.version === null || atLeast(program.version, serversSince);
  if (given !== undefined && takesServers) {
    args.push(...given.args);
    const { filledServers: filled = [] } = options;
    if (filled.length > 0) warnings.push(shownWarning(filled));
  } else if (given !== undefined) {
    warnings.push(`Codex ${program.version ?? ''} does not accept MCP servers per run, so it uses only its own.`);
  }
  args.push(...(options.extraArgs ?? []));
  let sessionId: string | null = null;
  if (resume !== undefined) {
    const id = requireUuid('Codex', resume);
    if (fork === true) {
      if (canFork('codex', program.version)) args.push('fork', id);
      else warnings.push(`Codex ${program.version ?? ''} cannot fork a thread; it begins a new conversation.`);
    } else if (atLeast(program.version, threadsSince)) {
      args.push('resume', id);
      sessionId = id;
    } else {
      warnings.push(`Codex ${program.version ?? ''} cannot resume, so it begins a new conversation.`);
    }
  }
  args.push('-');
  const { variables } = takesServers ? (given ?? {}) : {};
  return { args, stdin: prompt, sessionId, warnings, ...(variables !== undefined && { variables }) };
}

function shownWarning(names: readonly string[]): string {
  return `Codex is given MCP servers in its arguments. What was put for placeholders in the address or the arguments of ${names.join(', ')} can be read there by other users of this machine while it runs. In headers and variables it cannot.`;
}
