import type { AgentOptions, CommandLine, CommandRequest } from '../adapter.ts';
import { argsOfMode } from '../shared/choices.ts';
import { serversFile } from '../shared/mcp.ts';
import { isAtLeastOrUnknown } from '../../model/text/versions.ts';
import { claudeChoices } from './choices.ts';
import { claudeDialogue } from './dialogue.ts';

/**
 * First versions that accept an option. Measured: 1.0.3 refuses all of these; 1.0.128, 2.0.77 and 2.1.328 accept them (the
 * budget from 2.0.77 on). Claude Code's change log dates partial messages, the budget and servers.
 */
const minVersions = {
  partialMessages: '1.0.109',
  appendSystemPrompt: '1.0.51',
  permissionMode: '1.0.128',
  sessionId: '1.0.128',
  maxBudget: '2.0.28',
  /** MCP servers over HTTP; earlier versions then refuse all servers. */
  httpServers: '1.0.27',
  /** The two-way mode with permission requests. */
  dialogue: '1.0.128',
  /** A resumed conversation keeps its id; in earlier versions, each resume created a new one. */
  keepsSessionId: '1.0.126',
} as const;

/** An option with its value, in a form that cannot be taken for another option. */
function option(flag: string, value: string): string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}

function lowerLimit(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** Whether this version supports a dialogue. */
export function hasDialogue(version: string | null): boolean {
  return isAtLeastOrUnknown(version, minVersions.dialogue);
}

/**
 * `claude -p` with the prompt on stdin, which every version reads. Stdin is then closed, or stays open for the dialogue if
 * someone can answer.
 */
export function claudeCommand(request: CommandRequest): CommandLine {
  const { prompt, options, limits = {}, program, resume, fork, forkAt, newSessionId, interactive = false } = request;
  const { version } = program;
  const warnings: string[] = [];
  const has = (feature: keyof typeof minVersions) => isAtLeastOrUnknown(version, minVersions[feature]);
  const args = ['-p', '--output-format', 'stream-json', '--verbose'];
  /** Adds a requested option, or a warning that this version does not have it. */
  const add = (feature: keyof typeof minVersions, name: string, added: readonly string[]): void => {
    if (has(feature)) args.push(...added);
    else
      warnings.push(
        `Claude Code ${version ?? ''} does not support ${name}, so it runs without it (needs ${minVersions[feature]}).`,
      );
  };
  const hasDialogueMode = interactive && hasDialogue(version);
  if (hasDialogueMode) args.push('--input-format', 'stream-json', '--permission-prompt-tool', 'stdio');
  if (has('partialMessages')) args.push('--include-partial-messages');
  let sessionId: string | null = null;
  if (resume !== undefined) {
    args.push(...option('--resume', resume));
    if (fork === true && has('keepsSessionId')) {
      args.push('--fork-session');
      if (forkAt !== undefined) args.push(...option('--resume-session-at', forkAt));
    } else if (has('keepsSessionId')) sessionId = resume;
  } else if (has('sessionId')) {
    args.push('--session-id', newSessionId);
    sessionId = newSessionId;
  }
  if (options.model !== undefined) args.push(...option('--model', options.model));
  permissionMode(options, args, add);
  const maxTurns = lowerLimit(options.maxTurns, limits.turns);
  if (maxTurns !== undefined) args.push('--max-turns', String(maxTurns));
  // Measured with 2.0.77 and 2.1.328: earlier cost of a resumed conversation does not count.
  const maxBudget = lowerLimit(options.maxBudgetUsd, has('maxBudget') ? limits.usd : undefined);
  if (maxBudget !== undefined) add('maxBudget', 'budget limit', ['--max-budget-usd', String(maxBudget)]);
  if (options.appendSystemPrompt !== undefined && options.appendSystemPrompt !== '') {
    const added = option('--append-system-prompt', options.appendSystemPrompt);
    add('appendSystemPrompt', 'option to add to the system prompt', added);
  }
  const { mcpServers = {} } = options;
  const unsupportedNames = has('httpServers')
    ? []
    : Object.keys(mcpServers).filter((name) => mcpServers[name]?.type === 'http');
  if (unsupportedNames.length > 0) {
    warnings.push(
      `Claude Code ${version ?? ''} does not support MCP servers over HTTP, so it runs without ${unsupportedNames.join(', ')}.`,
    );
  }
  const supportedServers = Object.fromEntries(
    Object.entries(mcpServers).filter(([name]) => !unsupportedNames.includes(name)),
  );
  const { args: mcp, ...sideFiles } = serversFile(
    { ...request, options: { ...options, mcpServers: supportedServers } },
    (server) => ({ ...server }),
    (file) => ({
      args: [`--mcp-config=${file}`, ...(options.trustedServers ?? []).map((name) => `--allowedTools=mcp__${name}`)],
    }),
  );
  args.push(...mcp, ...(options.extraArgs ?? []));
  if (hasDialogueMode)
    return { args, stdin: null, sessionId, warnings, ...sideFiles, dialogue: claudeDialogue(prompt) };
  return { args, stdin: prompt, sessionId, warnings, ...sideFiles };
}

type AddOption = (feature: 'permissionMode', name: string, added: readonly string[]) => void;

function permissionMode({ permissionMode: mode }: AgentOptions, args: string[], add: AddOption): void {
  if (mode === undefined) return;
  // An unknown one may be of a later version.
  const modeArguments = argsOfMode(claudeChoices, mode) ?? option('--permission-mode', mode);
  if (modeArguments[0]?.startsWith('--permission-mode')) add('permissionMode', 'permission modes', modeArguments);
  else args.push(...modeArguments);
}
