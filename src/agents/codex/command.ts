import type { CommandLine, CommandRequest } from '../adapter.ts';
import { canFork } from '../shared/forking.ts';
import { argsOfMode } from '../shared/choices.ts';
import { serversOf } from '../shared/mcp.ts';
import { requireUuid } from '../shared/conversationId.ts';
import { isAtLeastOrUnknown } from '../../model/text/versions.ts';
import { codexDialogue } from './appServer/dialogue.ts';
import { codexChoices } from './choices.ts';
import { codexServers, serversSince } from './servers.ts';

/** First version that prints the thread's id, which is needed to resume. */
export const threadsSince = '0.44.0';

/**
 * First measured version whose app-server has everything that Vitrine uses: 0.77.0 cannot steer a turn or fork a
 * thread.
 */
const appServerSince = '0.169.0';

export function hasAppServer(version: string | null): boolean {
  return isAtLeastOrUnknown(version, appServerSince);
}

/**
 * `codex app-server` if someone can answer and this version has it, else `codex exec --json` with the prompt on stdin, which
 * is then closed, because newer versions wait for its end. Options precede `resume`, where every version accepts them.
 * @throws UnusableConversationIdError
 */
export function codexCommand(request: CommandRequest): CommandLine {
  const { options, program, resume, forkAt, interactive = false } = request;
  const id = resume === undefined ? undefined : requireUuid('Codex', resume);
  const common = commonOptions(request);
  const { warnings } = common;
  const execOnly = execOnlyArguments(options.extraArgs ?? []);
  // Only the app-server leaves out the end of a thread.
  if ((!interactive && forkAt === undefined) || !hasAppServer(program.version)) return execCommand(request, id, common);
  if (execOnly !== undefined && forkAt === undefined) {
    warnings.push(
      `Codex runs with \`codex exec\`, because its app-server does not accept the argument ${execOnly}. It cannot ask for approval.`,
    );
    return execCommand(request, id, common);
  }
  const mode = argsOfMode(codexChoices, options.permissionMode) ?? [];
  const [, sandbox] = mode;
  const isBypass = mode.includes('--dangerously-bypass-approvals-and-sandbox');
  const forks = request.fork === true;
  const dialogue = codexDialogue({
    prompt: request.prompt,
    cwd: request.cwd,
    model: options.model,
    sandbox: isBypass ? 'danger-full-access' : sandbox,
    approvalPolicy: isBypass ? 'never' : undefined,
    resume: id,
    fork: forks,
    lastTurn: forkAt,
  });
  return {
    args: ['app-server', ...common.serverArgs, ...(execOnly === undefined ? (options.extraArgs ?? []) : [])],
    stdin: null,
    sessionId: id !== undefined && !forks ? id : null,
    warnings,
    dialogue,
    ...(common.variables !== undefined && { variables: common.variables }),
  };
}

interface CommonOptions {
  readonly warnings: string[];
  readonly serverArgs: readonly string[];
  readonly variables: Readonly<Record<string, string>> | undefined;
}

/** Options that both ways of running Codex accept. */
function commonOptions({ options, program }: CommandRequest): CommonOptions {
  const warnings: string[] = [];
  if (argsOfMode(codexChoices, options.permissionMode) === undefined)
    warnings.push(`Codex has no permission mode ${options.permissionMode ?? ''}; it runs as configured.`);
  if (options.maxTurns !== undefined) warnings.push('Codex has no turn limit, so it runs without one.');
  if (options.maxBudgetUsd !== undefined) warnings.push('Codex has no budget limit, so it runs without one.');
  if (options.appendSystemPrompt !== undefined && options.appendSystemPrompt !== '') {
    warnings.push('Codex has no option to add to the system prompt, so it runs without the addition.');
  }
  const servers = serversOf({ options });
  const serverOptions = servers === undefined ? undefined : codexServers(servers);
  if (serverOptions === undefined) return { warnings, serverArgs: [], variables: undefined };
  if (program.version === null || isAtLeastOrUnknown(program.version, serversSince)) {
    const { filledServers: filled = [] } = options;
    if (filled.length > 0) warnings.push(shownWarning(filled));
    return { warnings, serverArgs: serverOptions.args, variables: serverOptions.variables };
  }
  warnings.push(`Codex ${program.version} does not accept MCP servers per run, so it uses only its own.`);
  return { warnings, serverArgs: [], variables: undefined };
}

function execCommand(request: CommandRequest, id: string | undefined, common: CommonOptions): CommandLine {
  const { prompt, options, program, fork } = request;
  const { warnings, serverArgs, variables } = common;
  // Vitrine starts nothing in an untrusted workspace, so Codex need not check for a repository.
  const args = ['exec', '--json', '--skip-git-repo-check'];
  if (options.model !== undefined) args.push(`--model=${options.model}`);
  args.push(...(argsOfMode(codexChoices, options.permissionMode) ?? []));
  args.push(...serverArgs, ...(options.extraArgs ?? []));
  let sessionId: string | null = null;
  if (id !== undefined) {
    if (fork === true) {
      if (canFork('codex', program.version)) args.push('fork', id);
      else warnings.push(`Codex ${program.version ?? ''} cannot fork a thread; it begins a new conversation.`);
    } else if (isAtLeastOrUnknown(program.version, threadsSince)) {
      args.push('resume', id);
      sessionId = id;
    } else {
      warnings.push(`Codex ${program.version ?? ''} cannot resume, so it begins a new conversation.`);
    }
  }
  args.push('-');
  return { args, stdin: prompt, sessionId, warnings, ...(variables !== undefined && { variables }) };
}

/** The first of the user's arguments that the app-server does not have. */
function execOnlyArguments(args: readonly string[]): string | undefined {
  let isValue = false;
  return args.find((arg) => {
    if (isValue) {
      isValue = false;
      return false;
    }
    isValue = /^(?:-c|--config|--enable|--disable)$/.test(arg);
    return !isValue && !/^(?:-c.|--(?:config|enable|disable)=)/.test(arg);
  });
}

function shownWarning(names: readonly string[]): string {
  return `Codex gets MCP servers as command-line arguments. While it runs, other users of this machine can read the values of placeholders in the URL or arguments of ${names.join(', ')}. They cannot read those in headers and variables.`;
}
