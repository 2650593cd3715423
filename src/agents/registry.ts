import { acp } from './acp/adapter.ts';
import { acpHttp } from './acp-http/adapter.ts';
import type { AgentAdapter } from './adapter.ts';
import { claudeCode } from './claude-code/adapter.ts';
import { codex } from './codex/adapter.ts';
import { copilot } from './copilot/adapter.ts';
import { cursor } from './cursor/adapter.ts';
import { gemini } from './gemini/adapter.ts';

/** Every kind of agent program that Vitrine can start. */
export const adapters: readonly AgentAdapter[] = [claudeCode, codex, copilot, gemini, cursor, acp, acpHttp];

/** The adapter of an executor type; `undefined` where none is built in. */
export function findAdapter(type: string): AgentAdapter | undefined {
  return adapters.find((adapter) => adapter.type === type);
}
