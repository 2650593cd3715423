import { text } from 'node:stream/consumers';
import type { AgentOptions } from '../../agents/adapter.ts';
import { UsageError, type CliContext } from '../command.ts';

/** @throws UsageError without a prompt */
export function requirePrompt(argument: string | undefined): string {
  if (argument !== undefined) return argument;
  throw new UsageError('The prompt is missing.', 'Put a prompt in quotes, or use - to read it from stdin.');
}

/** The prompt, from stdin if it is `-`. @throws UsageError if it is empty */
export async function readPrompt(argument: string, { stdin }: CliContext): Promise<string> {
  const prompt = argument === '-' ? await text(stdin) : argument;
  if (prompt.trim() === '') throw new UsageError('The prompt is empty.', 'Specify a prompt.');
  return prompt;
}

/** Options of `run` and `fork` for the agent. @throws UsageError if an option does not apply */
export function agentOptionsOf(values: {
  readonly model?: string | undefined;
  readonly 'permission-mode'?: string | undefined;
  readonly json?: boolean | undefined;
  readonly detach?: boolean | undefined;
}): AgentOptions {
  if (values.json === true && values.detach !== true)
    throw new UsageError('--json applies only to --detach.', 'Remove it: a run always prints JSON lines.');
  const { model, 'permission-mode': permissionMode } = values;
  return { ...(model !== undefined && { model }), ...(permissionMode !== undefined && { permissionMode }) };
}
