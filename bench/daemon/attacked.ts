import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repository } from '../../test/support/host/install/cache.mjs';
import { DaemonBench } from '../../test/support/daemon/bench.ts';
import type { DaemonConnection } from '../../src/client/connection.ts';
import { median, percentile, type Row } from '../harness.ts';

const betweenMs = 5;

/**
 * Time of a client's call while another process sends fuzzed frames from eight connections and oversized ones from another, and
 * holds 250 idle clients and 240 half-open connections; against the same daemon before.
 */
export async function attackedDaemon(frames = Number(process.env['VITRINE_BENCH_FRAMES'] ?? 50_000)): Promise<Row[]> {
  const place = new DaemonBench();
  try {
    const client = await place.connect();
    const quiet = await callsUntil(client, delay(3000));
    const { rss } = await client.call('status', {});
    const attack = spawn(
      process.execPath,
      [path.join(repository, 'test/support/hostile/attackDaemon.ts'), place.folder, String(frames)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const ended = once(attack, 'close');
    const lines = createInterface({ input: attack.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => {
      const line = await lines.next();
      if (line.done === true) throw new Error('The attack has ended early.');
      return line.value;
    };
    const ready = next();
    const connecting = await callsUntil(client, ready);
    const sent = ready.then(next);
    const under = await callsUntil(client, sent);
    const after = await client.call('status', {});
    attack.stdin.end();
    await ended;
    const all = [...connecting, ...under];
    const figures = [50, 99].map((percent) => `p${percent} ${percentile(all, percent).toFixed(1)} ms`).join(', ');
    const detail = `${await sent}; ${all.length} calls: ${figures}; ${Math.max(...connecting).toFixed(1)} ms while 490 connect; before: p50 ${median(quiet).toFixed(1)}, at most ${Math.max(...quiet).toFixed(1)} ms; memory ${((after.rss - rss) / 1e6).toFixed(0)} MB more`;
    return [
      { name: 'daemon: slowest call under attack', value: Math.max(...all), unit: 'ms', goal: 100, detail },
      {
        name: 'daemon: call under attack, p50, against before',
        value: median(all) / median(quiet),
        unit: '×',
        goal: 20,
        detail: `${median(all).toFixed(2)} ms; ${median(quiet).toFixed(2)} ms`,
      },
    ];
  } finally {
    await place.close();
  }
}

/** Times of calls, one after the other, until `end` settles. */
async function callsUntil(client: DaemonConnection, end: Promise<unknown>): Promise<number[]> {
  const attack = { isOver: false };
  const attackEnd = end.finally(() => (attack.isOver = true));
  const times: number[] = [];
  while (!attack.isOver) {
    const started = performance.now();
    await client.call('status', {});
    times.push(performance.now() - started);
    await delay(betweenMs);
  }
  await attackEnd;
  return times;
}
