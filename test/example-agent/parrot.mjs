#!/usr/bin/env node
// A made-up agent. It repeats what it is told, remembers it by conversation, and pecks with its one tool.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const options = { version: { type: 'boolean' }, json: { type: 'boolean' }, model: { type: 'string' } };
const { values } = parseArgs({ options: { ...options, resume: { type: 'string' } } });
if (values.version) {
  console.log('parrot 1.2.0');
  process.exit(0);
}
const print = (message) => console.log(JSON.stringify(message));
const nest = path.join(homedir(), '.parrot');
const session = values.resume ?? randomUUID();
const memory = path.join(nest, `${path.basename(session)}.json`);
if (values.resume !== undefined && !existsSync(memory)) {
  console.error(`No such conversation: ${session}`);
  process.exit(3);
}
const before = existsSync(memory) ? JSON.parse(readFileSync(memory, 'utf8')) : [];
const prompt = (await text(process.stdin)).trim();
mkdirSync(nest, { recursive: true });
writeFileSync(memory, JSON.stringify([...before, prompt]));

print({ kind: 'hello', session, model: values.model ?? 'macaw-1' });
for (const piece of ['Polly ', `says: ${prompt}`]) print({ kind: 'say', text: piece });
if (prompt.includes('peck')) {
  print({ kind: 'tool', id: 't1', name: 'peck', input: { at: 'nut' } });
  print({ kind: 'tool_done', id: 't1', ok: !prompt.includes('stone'), output: 'tock tock' });
}
if (before.length > 0) print({ kind: 'say', text: `Before, you said: ${before.join(', ')}` });
if (prompt.includes('sleep')) await new Promise((resolve) => process.once('SIGINT', resolve));
const ok = !prompt.includes('stone') && !prompt.includes('sleep');
print({ kind: 'bye', ok, seconds: 0.5, usd: 0.001, tokens: { in: 12, out: 3 }, ...(ok ? {} : { error: 'Squawk!' }) });
process.exitCode = ok ? 0 : 1;
