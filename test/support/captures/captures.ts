import { claudeCode } from '../../../src/agents/claude-code/adapter.ts';
import type { ExitInfo } from '../../../src/model/usage/facts.ts';
import type { NormalizerContext, OutputLine } from '../../../src/model/transcript/normalizer.ts';
import { type AgentCapture, capturesOf, type Read, readBy } from './agentCaptures.ts';

export const claudeCaptures = (): AgentCapture[] => capturesOf('claude-code');

export function normalizeLines(
  lines: readonly OutputLine[],
  exit?: ExitInfo,
  context?: Partial<NormalizerContext>,
): Read {
  return readBy(claudeCode, lines, exit, context);
}

/** Each value as a stdout line; strings unchanged. */
export function stdoutLines(...values: readonly unknown[]): OutputLine[] {
  return values.map((value) => ({
    stream: 'stdout',
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }));
}
