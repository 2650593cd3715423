import { greetingOf, initializeParams, type Greeting } from '../../agents/acp/opening.ts';
import type { AcpPreset } from '../../agents/acp/presets.ts';
import { sessionPageOf, type AgentSession } from '../../agents/acp/sessionList.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import { EngineFailure, failures } from '../failures/failures.ts';
import { LineSplitter } from '../output/lineSplitter.ts';
import { unansweredReason, assertProtocolVersion } from './errorAnswers.ts';
import { AcpPeer } from './peer.ts';

const maxPages = 50;
const maxSessions = 1000;
const maxStderr = 4096;
/** For the whole query, in milliseconds; the agent's first start may download something. */
const defaultWithin = 60_000;

interface ListTask {
  readonly label: string;
  readonly preset: AcpPreset | undefined;
  /** Absolute path. Lists the sessions of this folder. */
  readonly cwd: string;
  /** Command as the user would type it. */
  readonly program: string;
  /** Version of Vitrine. */
  readonly clientVersion: string;
  readonly clock: () => number;
  readonly withinMs?: number;
  /** Aborts the query. */
  readonly signal?: AbortSignal;
}

/**
 * Lists the sessions that the agent stores for a folder, in the agent's order, then ends the agent.
 * @throws EngineFailure
 */
export async function listSessions(process: AgentProcess, task: ListTask): Promise<readonly AgentSession[]> {
  const { label, preset, program, clock, withinMs = defaultWithin, signal } = task;
  let greeting: Pick<Greeting, 'preset' | 'logins'> = { preset, logins: [] };
  const seen = { stderr: '', ended: false };
  const peer = new AcpPeer({
    write: (line) => void process.input?.write(line),
    // The agent gets no methods: it is only queried.
    serve: () => undefined,
    onNotification: () => undefined,
  });
  const read = async (): Promise<void> => {
    const lines = new LineSplitter();
    for await (const { type, data } of process.output) {
      if (type === 'stderr') seen.stderr = (seen.stderr + data.toString()).slice(-maxStderr);
      else {
        for (const line of lines.push(data)) {
          if ('text' in line) peer.line(line.text);
          else peer.answerOversizeLine(line.oversize.head);
        }
      }
    }
    seen.ended = true;
    peer.close();
  };
  const reading = read();
  const stop = (): void => peer.close();
  signal?.addEventListener('abort', stop, { once: true });
  const end = clock() + withinMs;
  const ask = (method: string, params: Parameters<AcpPeer['request']>[1]): Promise<unknown> => {
    signal?.throwIfAborted();
    return peer.request(method, params, Math.max(1, end - clock()));
  };
  try {
    const answer = await ask('initialize', initializeParams(task.clientVersion, preset));
    const greetingFromAgent = greetingOf(answer, preset);
    greeting = greetingFromAgent;
    assertProtocolVersion(greetingFromAgent);
    if (!greetingFromAgent.canList) throw failures.listNotOffered(label);
    const found: AgentSession[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < maxPages && found.length < maxSessions; page += 1) {
      const params = { cwd: task.cwd, ...(cursor !== null && { cursor }) };
      const { sessions, next } = sessionPageOf(await ask('session/list', params));
      found.push(...sessions);
      if (next === null || next === cursor) break;
      cursor = next;
    }
    return found.slice(0, maxSessions);
  } catch (error) {
    if (EngineFailure.is(error)) throw error;
    if (signal?.aborted === true) throw failures.listFailed(label, 'it was stopped.');
    if (seen.ended) {
      const { code, signal: by } = await process.exit;
      throw failures.exitedAtOnce(label, program, by ?? `exit code ${code ?? 'unknown'}`, seen.stderr.trim());
    }
    throw failures.listFailed(label, unansweredReason(error, greeting, program));
  } finally {
    signal?.removeEventListener('abort', stop);
    peer.close();
    process.input?.close();
    await process.stop();
    await reading;
    await process.leftovers();
  }
}
