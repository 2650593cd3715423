#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const help = `Usage: vitrine <command> [options]

  --help     this text
  --version  the version of Vitrine
`;

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

const [command] = process.argv.slice(2);
if (command === '--version') {
  console.log(version());
} else {
  process.stdout.write(help);
  process.exitCode = command === undefined || command === '--help' ? 0 : 2;
}
