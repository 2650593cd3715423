/**
 * `recordDemo.ts`: records media/demo/teahouse.ndjson again, from a run of the real Claude Code on a copy of the sample
 * workspace, with the answers of demo/story.ts. The run uses folders with neutral names, so that the recording shows
 * nothing of this machine. They must not exist before, and are deleted afterwards. See docs/development/demo.md.
 */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { ensureClaudeCode } from '../agents/claudeCode.ts';
import { agentEnvironment } from '../agents/environment.ts';
import { type RecordedLine, recordRun } from './recorder.ts';
import { createStory, title } from './story.ts';
import { repository } from '../host/install/cache.mjs';
import { startModelServer } from '../models/anthropic.ts';

const version = '2.1.328';
const folder = '/workspace/teahouse';
const home = '/home/dev';
const output = path.join(repository, 'media/demo/teahouse.ndjson');
/** Speed of a large model: 2 s until the first token, then 60 tokens per second. */
const pace = { first: 2000, between: 60, chunk: 14 };

const outputLine = z.looseObject({
  type: z.string(),
  session_id: z.string().optional(),
  is_error: z.boolean().optional(),
  message: z.looseObject({ content: z.unknown() }).optional(),
});

/** Returns the session id. @throws if a tool or the run failed, because the recording would not match the story */
function check(turn: number, lines: readonly RecordedLine[]): string {
  let session: string | undefined;
  for (const line of lines) {
    if ('exit' in line) {
      if (line.exit !== 0) throw new Error(`Turn ${turn} ended with ${String(line.exit)}.`);
      continue;
    }
    if (line.stream === 'stderr') throw new Error(`Turn ${turn} printed on stderr: ${line.line}`);
    const { type, session_id, is_error, message } = outputLine.parse(JSON.parse(line.line));
    session = session_id ?? session;
    const results = z.array(z.looseObject({ is_error: z.boolean().optional() })).safeParse(message?.content);
    const failed = type === 'user' && results.success && results.data.some((result) => result.is_error === true);
    if (failed || is_error === true) throw new Error(`Turn ${turn} failed: ${line.line}`);
  }
  if (session === undefined) throw new Error(`Turn ${turn} has no session id.`);
  return session;
}

const installed = await ensureClaudeCode(version);
if ('missing' in installed) throw new Error(installed.missing);
for (const directory of [folder, home]) {
  if (existsSync(directory))
    throw new Error(`${directory} exists; the recording needs it for itself. Use a container.`);
}
const created = [folder, home].map((directory) => mkdirSync(directory, { recursive: true }));
const turns = createStory(folder);
const server = await startModelServer({
  scenarios: Object.fromEntries(
    turns.map(({ steps }, index) => [String(index), steps.map((step) => ({ pace, ...step }))]),
  ),
  choose: (userText) => {
    const index = turns.findIndex(({ prompt }) => userText.includes(prompt));
    return index < 0 ? undefined : String(index);
  },
});
try {
  cpSync(path.join(repository, 'test/sample-workspace'), folder, { recursive: true });
  const programs = path.join(home, '.local/bin');
  mkdirSync(programs, { recursive: true });
  symlinkSync(process.execPath, path.join(programs, 'node'));
  const env = {
    ...agentEnvironment({ home, modelUrl: server.url }),
    PATH: [programs, '/usr/bin', '/bin'].join(path.delimiter),
    // TodoWrite shows one to-do list, instead of one tool call per item.
    CLAUDE_CODE_ENABLE_TASKS: '0',
  };
  const header = {
    format: 'vitrine-recording',
    version: 1,
    agent: 'claude-code',
    agentVersion: version,
    title,
    recordedAt: new Date().toISOString(),
    how: 'Claude Code itself, run on the sample workspace; the answers of the model were scripted. See docs/development/demo.md.',
  };
  const recording: object[] = [header];
  let session: string | undefined;
  for (const [turn, { prompt }] of turns.entries()) {
    const args = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
    args.push('--permission-mode', 'acceptEdits', '--allowedTools', 'Bash,TodoWrite');
    if (session !== undefined) args.push('--resume', session);
    const lines = await recordRun(installed.program, args, { cwd: folder, env, stdin: prompt });
    const id = check(turn, lines);
    if (session !== undefined && id !== session) throw new Error(`Turn ${turn} changed the session id.`);
    session = id;
    recording.push({ turn, prompt }, ...lines);
    console.log(`turn ${turn}: ${lines.length} lines, ${((lines.at(-1)?.at ?? 0) / 1000).toFixed(1)} s`);
  }
  mkdirSync(path.dirname(output), { recursive: true });
  writeFileSync(output, recording.map((line) => `${JSON.stringify(line)}\n`).join(''));
} finally {
  await server.stop();
  for (const directory of created) if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}
