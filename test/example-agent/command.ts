import type { CommandLine, CommandRequest } from '../../src/agents/adapter.ts';

/** `parrot --json` with the prompt on stdin. */
export function parrotCommand({ prompt, options, resume }: CommandRequest): CommandLine {
  const args = ['--json'];
  if (options.model !== undefined) args.push(`--model=${options.model}`);
  if (resume !== undefined) args.push(`--resume=${resume}`);
  const warnings =
    options.permissionMode === undefined ? [] : ['A parrot has no permission modes: it does as it likes.'];
  return { args, stdin: prompt, sessionId: null, warnings };
}
