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

/** The adapter of an executor type; `undefined` where none is built in. */
export function findAdapter(type: string): AgentAdapter | undefined {
  return adapters.find((adapter) => adapter.type === type);
}

/**
 * Whose output begins with these lines: the agents that understand most of them, best known by what is their own. Several
 * where that does not tell, none where the lines are no JSON: plain text can be anybody's.
 */
export function recognise(lines: readonly string[], adapters: readonly AgentAdapter[]): readonly AgentAdapter[] {
  const messages = lines.map(parse).flatMap((value) => (isObject(value) ? [value] : objects(value)));
  const read = adapters.map((adapter) => {
    const normalizer = adapter.createNormalizer({ workDir: '/', firstIndex: 0 });
    for (const text of lines) normalizer.push({ stream: 'stdout', text }, 0);
    const { lines: counts, sessionIds } = normalizer.facts();
    const own = messages.some((message) => adapter.isOwn?.(message) === true);
    return { adapter, missed: counts.unknown + counts.malformed, named: sessionIds.length > 0, own };
  });
  const fewest = Math.min(...read.map(({ missed }) => missed));
  // One that understands nothing at all has not read it better than another.
  const best = read.filter(({ missed }) => missed === fewest && missed < lines.length);
  const named = best.filter((each) => each.named);
  const own = best.filter((each) => each.own);
  const [most] = [own, named, messages.length > 0 ? best : []].filter((each) => each.length > 0);
  return (most ?? []).map(({ adapter }) => adapter);
}
