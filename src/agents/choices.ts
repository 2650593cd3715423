import type { ExecutorType } from '../model/session/session.ts';
import { claudeChoices } from './claude-code/choices.ts';
import { codexChoices } from './codex/choices.ts';
import { copilotChoices } from './copilot/choices.ts';
import { cursorChoices } from './cursor/choices.ts';
import { geminiChoices } from './gemini/choices.ts';
import type { AgentChoices } from './shared/choices.ts';

/** By executor; the others accept only a model, and their own configuration has the rest. */
export const agentChoices: ReadonlyMap<ExecutorType, AgentChoices> = new Map([
  ['claude-code', claudeChoices],
  ['codex', codexChoices],
  ['copilot', copilotChoices],
  ['gemini', geminiChoices],
  ['cursor', cursorChoices],
]);

/** Whether a mode skips all approvals. An unknown mode counts as one that does. */
export function isBypass(agent: ExecutorType, mode: string | undefined): boolean {
  if (mode === undefined || mode === 'default') return false;
  const known = agentChoices.get(agent)?.modes.find(({ id }) => id === mode);
  return known === undefined || known.bypass === true;
}
