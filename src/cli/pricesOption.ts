import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pricesProblem } from '../insight/prices.ts';
import { UsageError, type CliContext } from './command.ts';

export const pricesHelp = `  --prices FILE      a price table of your own, which counts before the one that ships (JSON; see docs/prices.md)
`;

/** What `--prices` names, `undefined` where nothing. @throws UsageError */
export async function pricesOption(file: string | undefined, { cwd }: CliContext): Promise<unknown> {
  if (file === undefined) return undefined;
  const next = 'Give a file as docs/prices.md shows one.';
  const found: unknown = await readFile(path.resolve(cwd, file), 'utf8')
    .then((text) => JSON.parse(text) as unknown)
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new UsageError(`${file} cannot be read (--prices): ${why}`, next);
    });
  const problem = pricesProblem(found);
  if (problem !== null) throw new UsageError(`${file} is no price table (--prices): ${problem}`, next);
  return found;
}
