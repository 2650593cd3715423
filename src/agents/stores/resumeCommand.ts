import { storeFormats } from './formats.ts';

/** How a person resumes a session of this agent in a terminal, in the session's folder; `undefined`: the agent cannot. */
export function resumeCommand(agent: string, nativeId: string): string | undefined {
  const command = storeFormats.find((format) => format.agent === agent)?.resume?.(nativeId);
  return command === undefined ? undefined : [command.program, ...command.args].map(quoteForShell).join(' ');
}

/** For a POSIX shell. The ids of agents need no quotes; a damaged store can hold anything. */
function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}
