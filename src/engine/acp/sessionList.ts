import { greetingOf, initializeParams, type Greeting } from '../../agents/acp/opening.ts';
import type { AcpPreset } from '../../agents/acp/presets.ts';
import { sessionPageOf, type AgentSession } from '../../agents/acp/sessionList.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import { EngineFailure, failures } from '../failures/failures.ts';
import { LineSplitter } from '../output/lineSplitter.ts';
import { unansweredReason, assertVersion } from './errorAnswers.ts';
import { AcpPeer } from './peer.ts';

const maxPages = 50;
const maxSessions = 1000;
const maxStderr = 4096;
/** Milliseconds for all of it: the first start of an agent may download something. */
const defaultWithin = 60_000;

interface ListTask {
  readonly label: string;
  readonly preset: AcpPreset | undefined;
  /** Absolute path; conversations of this folder. */
  readonly cwd: string;
  /** As a person would start it. */
  readonly program: string;
  /** Of Vitrine. */
  readonly clientVersion: string;
  readonly clock: () => number;
  readonly withinMs?: number;
  /** No one waits for it any more. */
  readonly signal?: AbortSignal;
}

/**
 * The conversations that a started agent keeps of a folder, in its own order; the agent is ended then.
 * @throws EngineFailure
 */
export async function listSessions(process: AgentProcess, task: ListTask): Promise<readonly AgentSession[]> {
  const { label, preset, program, clock, withinMs = defaultWithin, signal } = task;
  let greeting: Pick<Greeting, 'preset' | 'logins'> = { preset, logins: [] };
  const seen = { stderr: '', ended: false };
  const peer = new AcpPeer({
    write: (line) => void process.input?.write(line),
    // Nothing is to be done for an agent that is only asked what it has.
    serve: () => undefined,
    notified: () => undefined,
  });
  const read = async (): Promise<void> => {
    const lines = new LineSplitter();
    for await (const { type, data } of process.output) {
      if (type === 'stderr') seen.stderr = (seen.stderr + data.toString()).slice(-maxStderr);
      else {
        for (const line of lines.push(data)) {
          if ('text' in line) peer.line(line.text);
          else peer.tooLong(line.oversize.head);
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
    const met = greetingOf(answer, preset);
    greeting = met;
    assertVersion(met);
    if (!met.canList) throw failures.listNotOffered(label);
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
