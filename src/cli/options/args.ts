import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { AgentAdapter } from '../../agents/adapter.ts';
import { adapters, findAdapter } from '../../agents/registry.ts';
import type { ExitInfo } from '../../model/usage/facts.ts';
import { UsageError } from '../command.ts';

/** Parses options and positionals with `node:util`. @throws UsageError */
export function parseOptions<T extends ParseArgsConfig>(command: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // Only the first sentence is meant for users.
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split(/\.?(?: |\n)(?=[A-Z])/);
    const dash = config.allowPositionals === true ? ' Put arguments that begin with a dash after "--".' : '';
    throw new UsageError(`${message.replace(/\.$/, '')}.`, `See "vitrine ${command} --help".${dash}`);
  }
}

export function agentOption(type: string | undefined): AgentAdapter {
  const known = `Supported agents: ${adapters.map((adapter) => adapter.type).join(', ')}.`;
  if (type === undefined) throw new UsageError('--agent is missing.', known);
  const adapter = findAdapter(type);
  if (adapter === undefined) throw new UsageError(`Unknown agent: "${type}" (--agent).`, known);
  return adapter;
}

/** Parses an exit status: `0`, `143`, `SIGTERM`, `signal SIGKILL`, `143 (stopped)`. Absent or empty: unknown. */
export function exitOption(content: string | undefined): ExitInfo {
  const text = content?.trim() ?? '';
  const code = /^\d{1,10}(?![\w.])/.exec(text)?.[0];
  if (code !== undefined) return { code: Number(code), signal: null };
  const signal = /^(?:signal\s+)?(SIG[A-Z0-9+]+)\b/i.exec(text)?.[1];
  if (signal !== undefined) return { code: null, signal: signal.toUpperCase() };
  if (text === '' || text === 'unknown') return { code: null, signal: null };
  throw new UsageError(
    `"${text}" is not an exit code or a signal (--exit).`,
    'Use a number, or a name such as SIGTERM.',
  );
}

/** @throws UsageError */
export function numberOption(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0))
    throw new UsageError(`"${text}" is not a number (${name}).`, 'Use a number such as 3.');
  return value;
}
