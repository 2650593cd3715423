import type { CommandLine, CommandRequest } from '../adapter.ts';
import { argsOfMode } from '../shared/choices.ts';
import { serversOf } from '../shared/mcp.ts';
import { cursorChoices } from './choices.ts';

/** First version (a date) that may ask to trust the folder. */
const trustSince = '2026.01.01';

/** `cursor-agent -p` with the prompt as the last argument, because reading it from stdin is not documented. Texts stream. */
export function cursorCommand({ prompt, options, program, resume }: CommandRequest): CommandLine {
  const warnings: string[] = [];
  const args = ['-p', '--output-format', 'stream-json', '--stream-partial-output'];
  // Vitrine starts nothing in an untrusted workspace, so this folder is trusted.
  if (program.version !== null && program.version >= trustSince) args.push('--trust');
  if (resume !== undefined) args.push(`--resume=${resume}`);
  if (options.model !== undefined) args.push(`--model=${options.model}`);
  const mode = argsOfMode(cursorChoices, options.permissionMode);
  if (mode !== undefined) args.push(...mode);
  else warnings.push(`Cursor has no permission mode ${options.permissionMode ?? ''}; it runs as configured.`);
  if (options.maxTurns !== undefined) warnings.push('Cursor has no turn limit, so it runs without one.');
  if (options.maxBudgetUsd !== undefined) warnings.push('Cursor has no budget limit, so it runs without one.');
  if (options.appendSystemPrompt !== undefined && options.appendSystemPrompt !== '') {
    warnings.push('Cursor has no option to add to the system prompt, so it runs without the addition.');
  }
  if (serversOf({ options }) !== undefined) {
    warnings.push(
      'Cursor takes MCP servers only from its own configuration (.cursor/mcp.json), so it runs without these.',
    );
  }
  args.push(...(options.extraArgs ?? []), '--', prompt);
  return { args, stdin: null, sessionId: resume ?? null, warnings };
}
