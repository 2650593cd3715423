import { acp } from './acp/adapter.ts';
import { acpHttp } from './acp-http/adapter.ts';
import type { AgentAdapter } from './adapter.ts';
import { claudeCode } from './claude-code/adapter.ts';
import { codex } from './codex/adapter.ts';
import { copilot } from './copilot/adapter.ts';
import { cursor } from './cursor/adapter.ts';
import { gemini } from './gemini/adapter.ts';
import { isObject } from '../model/text/json.ts';
import { objects } from './shared/guards.ts';
import { parse } from './shared/normalizer/lineLog.ts';

/** Every kind of agent program that Vitrine can start. */
export const adapters: readonly AgentAdapter[] = [claudeCode, codex, copilot, gemini, cursor, acp, acpHttp];

/** The adapter of an executor type; `undefined` if there is none. */
export function findAdapter(type: string): AgentAdapter | undefined {
  return adapters.find((adapter) => adapter.type === type);
}

/**
 * The agents whose output may begin with these lines: those that understand most of them and recognize lines as their own.
 * Several if that is not enough; none if the lines are not JSON, because plain text can be from any agent.
 */
export function recognizeAgents(lines: readonly string[], adapters: readonly AgentAdapter[]): readonly AgentAdapter[] {
  const messages = lines.map(parse).flatMap((value) => (isObject(value) ? [value] : objects(value)));
  const read = adapters.map((adapter) => {
    const normalizer = adapter.createNormalizer({ workDir: '/', firstIndex: 0 });
    for (const text of lines) normalizer.push({ stream: 'stdout', text }, 0);
    const { lines: counts, sessionIds } = normalizer.facts();
    const own = messages.some((message) => adapter.isOwn?.(message) === true);
    return { adapter, missed: counts.unknown + counts.malformed, named: sessionIds.length > 0, own };
  });
  const fewestMissed = Math.min(...read.map(({ missed }) => missed));
  // An adapter that understands no line does not match.
  const best = read.filter(({ missed }) => missed === fewestMissed && missed < lines.length);
  const named = best.filter((match) => match.named);
  const own = best.filter((match) => match.own);
  const [most] = [own, named, messages.length > 0 ? best : []].filter((matches) => matches.length > 0);
  return (most ?? []).map(({ adapter }) => adapter);
}
