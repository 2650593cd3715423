import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pricesProblem } from '../insight/prices.ts';
import { UsageError, type CliContext } from './command.ts';

export const pricesHelp = `  --prices FILE      your own price table, which overrides the built-in one (JSON; see docs/prices.md)
`;

/** What `--prices` names, `undefined` where nothing. @throws UsageError */
export async function pricesOption(file: string | undefined, { cwd }: CliContext): Promise<unknown> {
  if (file === undefined) return undefined;
  const next = 'Use a file as described in docs/prices.md.';
  const found: unknown = await readFile(path.resolve(cwd, file), 'utf8')
    .then((text) => JSON.parse(text) as unknown)
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new UsageError(`${file} cannot be read (--prices): ${why}`, next);
    });
  const problem = pricesProblem(found);
  if (problem !== null) throw new UsageError(`${file} is not a valid price table (--prices): ${problem}`, next);
  return found;
}
