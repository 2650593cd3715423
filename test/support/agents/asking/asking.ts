import { startModelServer } from '../../models/anthropic.ts';
import { startOpenaiServer } from '../../models/openai.ts';
import { type Answer, type Block, type Scenarios, text, tool } from '../../models/scripts/scenario.ts';
import type { ModelServer, ModelServerOptions } from '../../models/server.ts';
import { ensureClaudeCode } from '../claudeCode.ts';
import { codexVariables, configureCodex, ensureCodex } from '../codex.ts';
import { ensureCopilot } from '../copilot.ts';
import { claudeVariables, copilotVariables } from '../environment.ts';
import type { InstallResult } from '../install.ts';

/** A real program that asks before it makes the file `made.txt`. */
export interface AskingAgent {
  readonly label: string;
  readonly install: () => Promise<InstallResult>;
  readonly serve: (options: ModelServerOptions) => Promise<ModelServer>;
  readonly variables: (modelUrl: string) => Record<string, string>;
  readonly configure: (home: string, modelUrl: string) => void;
  /** The model's call. */
  readonly makes: Block;
  /** Arguments of `vitrine run` before and after the prompt. */
  readonly runOptions: (program: string) => readonly [before: readonly string[], after: readonly string[]];
}

const codexVersion = '0.169.0';
const nothing = (): void => undefined;

export const askingClaude: AskingAgent = {
  label: 'Claude Code',
  install: () => ensureClaudeCode('2.1.328'),
  serve: startModelServer,
  variables: claudeVariables,
  configure: nothing,
  makes: tool('Bash', { command: 'touch made.txt && ls', description: 'Make the file' }),
  runOptions: (program) => [['--agent', 'claude-code', '--program', program], []],
};

export const askingCodex: AskingAgent = {
  label: 'Codex',
  install: () => ensureCodex(codexVersion),
  serve: startOpenaiServer,
  variables: codexVariables,
  configure: (home, modelUrl) => configureCodex(home, modelUrl, codexVersion),
  makes: tool('apply_patch', '*** Begin Patch\n*** Add File: made.txt\n+Made.\n*** End Patch\n'),
  runOptions: (program) => [['--agent', 'codex', '--permission-mode', 'read-only', '--program', program], []],
};

/** Copilot CLI asks only as an Agent Client Protocol agent. */
export const askingCopilot: AskingAgent = {
  label: 'Copilot CLI',
  install: ensureCopilot,
  serve: startModelServer,
  variables: copilotVariables,
  configure: nothing,
  makes: tool('bash', { command: 'touch made.txt && ls', description: 'Make the file' }),
  runOptions: (program) => [
    ['--agent', 'acp'],
    ['--', program, '--acp'],
  ],
};

/** How long the model speaks in a run, half of it before it asks. */
export const runSeconds = process.env['VITRINE_LONG_RUNS'] === '1' ? 60 : 2;
const piecesPerSecond = 10;
const charactersPerPiece = 24;

/** What the model says before it asks and after it was allowed to. */
const sentence = 'I describe what I am going to do, piece by piece. ';
export const lastSentence = 'Made it after the answer.';

/** Speaks, asks for permission to make the file, speaks again. */
export function askingScript(makes: Block): Scenarios {
  const speech = sentence.repeat(
    Math.ceil(((runSeconds / 2) * piecesPerSecond * charactersPerPiece) / sentence.length),
  );
  const pace = { between: 1000 / piecesPerSecond, chunk: charactersPerPiece };
  const before: Answer = { blocks: [text(speech), makes], pace };
  return { make: [before, { blocks: [text(`${speech}\n\n${lastSentence}`)], pace }] };
}
