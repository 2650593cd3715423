import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { until } from '../../test/support/until.ts';

/** Address of Node's inspector when a signal activates it. */
const inspector = 'http://127.0.0.1:9229/json/list';
const targetsSchema = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const answerSchema = z.object({ id: z.number().optional(), result: z.unknown() });
const pidSchema = z.object({ result: z.object({ value: z.number() }) });
const profileSchema = z.object({
  profile: z.object({
    nodes: z.array(
      z.object({
        id: z.number(),
        callFrame: z.object({ url: z.string(), functionName: z.string() }),
        children: z.array(z.number()).default([]),
      }),
    ),
    samples: z.array(z.number()),
    timeDeltas: z.array(z.number()),
  }),
});

/** Profiles a Node process: seconds in code of these files, including what it calls, within `seconds`. */
export async function profileOf(pid: number, seconds: number, isOwn: (url: string) => boolean): Promise<number> {
  process.kill(pid, 'SIGUSR1');
  const [target] = await until('the inspector', async () =>
    fetch(inspector).then(
      async (response) => targetsSchema.parse(await response.json()),
      () => undefined,
    ),
  );
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  let last = 0;
  const call = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      const id = (last += 1);
      const take = ({ data }: MessageEvent): void => {
        const answer = answerSchema.parse(JSON.parse(String(data)));
        if (answer.id !== id) return;
        socket.removeEventListener('message', take);
        resolve(answer.result);
      };
      socket.addEventListener('message', take);
      socket.send(JSON.stringify({ id, method, params }));
    });
  try {
    const asked = pidSchema.parse(await call('Runtime.evaluate', { expression: 'process.pid' }));
    if (asked.result.value !== pid) throw new Error('Another process has the port of the inspector.');
    await call('Profiler.enable');
    await call('Profiler.start');
    await delay(seconds * 1000);
    return ownSeconds(await call('Profiler.stop'), isOwn);
  } finally {
    socket.close();
  }
}

/** From the result of `Profiler.stop`: seconds in which the thread had work, on the processor or waiting for it. */
export function busySeconds(stopped: unknown): number {
  const { nodes, samples, timeDeltas } = profileSchema.parse(stopped).profile;
  const idle = new Set(nodes.flatMap(({ id, callFrame }) => (callFrame.functionName === '(idle)' ? [id] : [])));
  return samples.reduce((sum, id, at) => sum + (idle.has(id) ? 0 : (timeDeltas[at] ?? 0)), 0) / 1e6;
}

/**
 * From the result of `Profiler.stop`: seconds in code of these files, including what it calls, but not what is in other files
 * (`isOther`).
 */
export function ownSeconds(
  stopped: unknown,
  isOwn: (url: string) => boolean,
  isOther: (url: string) => boolean = () => false,
): number {
  const { nodes, samples, timeDeltas } = profileSchema.parse(stopped).profile;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Set<number>();
  const visit = (id: number, isBelow: boolean): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const { url } = node.callFrame;
    const isCounted = isOwn(url) || (isBelow && !isOther(url));
    if (isCounted) own.add(id);
    for (const child of node.children) visit(child, isCounted);
  };
  visit(nodes[0]?.id ?? 0, false);
  return samples.reduce((sum, id, at) => sum + (own.has(id) ? (timeDeltas[at] ?? 0) : 0), 0) / 1e6;
}
