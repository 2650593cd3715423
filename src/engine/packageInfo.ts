import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

/** Works from the sources and from the bundle, which have different depths. */
export function packageFolder(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(path.join(folder, 'package.json')) || parent === folder ? folder : packageFolder(parent);
}

/** Version of the package that contains this program. */
export function version(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(path.join(packageFolder(import.meta.dirname), 'package.json'), 'utf8'),
  );
  return z.object({ version: z.string() }).parse(manifest).version;
}
