import { englishNumbers } from '../../text/numberFormat.ts';

/** Bytes of one argument, with its terminating NUL (Linux). */
const longestArgument = 131_072;
/** Bytes of all arguments and the environment (macOS; Linux allows at least twice that). */
const longestList = 1_048_576;
/** UTF-16 units of the whole command line (Windows). */
const longestWindowsLine = 32_767;

interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Why the system would refuse to start a program with these arguments, and what to do; `null` if it would not. */
export function argumentProblem(command: Command, platform: NodeJS.Platform = process.platform): string | null {
  const { path, args, env } = command;
  const largest = Math.max(0, ...args.map((arg) => Buffer.byteLength(arg)));
  if (platform === 'win32') {
    // In the worst case, quotes and the backslashes before them are doubled.
    const line = [path, ...args].reduce(
      (sum, argument) => sum + argument.length + (argument.match(/["\\]/g)?.length ?? 0) + 3,
      0,
    );
    return line < longestWindowsLine ? null : tooLongText(largest, longestWindowsLine);
  }
  if (platform === 'linux' && largest >= longestArgument) return tooLongText(largest, longestArgument - 1);
  const variables = Object.entries(env).reduce((sum, [name, value]) => sum + sizeOf(name) + sizeOf(value), 0);
  const list = [path, ...args].reduce((sum, argument) => sum + sizeOf(argument), variables);
  return list < longestList ? null : tooLongText(largest, longestList);
}

/** Includes the terminating NUL and the pointer. */
const sizeOf = (text: string): number => Buffer.byteLength(text) + 9;

function tooLongText(bytes: number, limit: number): string {
  const shown = (size: number): string => englishNumbers.count(size);
  return (
    `The agent takes its prompt or instructions as an argument of its program. The longest argument has ${shown(bytes)} bytes, ` +
    `and the system takes at most ${shown(limit)}. Shorten the prompt or the instructions, or put the text in a file of the ` +
    'folder and ask the agent to read it.'
  );
}
