import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { DaemonBench } from '../../../support/daemon/bench.ts';
import { until } from '../../../support/until.ts';

const threadSchema = z.object({ delays: z.array(z.number()), arguments: z.array(z.string()) });
const longMs = 300_000;

describe('a daemon whose runs have ended', () => {
  let place: DaemonBench;
  beforeEach(() => (place = new DaemonBench()));
  afterEach(() => place.close());

  /** A daemon's main file that records the timers of its threads into `folder`. */
  async function recordingDaemon(folder: string): Promise<string> {
    await mkdir(folder);
    const recorder = pathToFileURL(path.resolve('test/support/daemon/recordTimers.mjs'));
    recorder.searchParams.set('folder', folder);
    const file = path.join(place.bench.dir, 'daemon.mjs');
    const urls = [recorder, pathToFileURL(path.resolve('dist/daemon.js'))];
    await writeFile(file, urls.map(({ href }) => `import ${JSON.stringify(href)};\n`).join(''));
    return file;
  }

  async function threadsIn(folder: string): Promise<z.infer<typeof threadSchema>[]> {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
    return texts.map((text) => threadSchema.parse(JSON.parse(text)));
  }

  it('has no timer that wakes one of its threads within five minutes', async () => {
    const folder = path.join(place.bench.dir, 'timers');
    const daemonFile = await recordingDaemon(folder);
    await mkdir(path.join(place.bench.dir, '.claude/projects'), { recursive: true });
    const connection = await place.connect({ daemonFile, client: { kind: 'window', person: true } });
    await connection.call('watch', { events: true });
    const home = place.bench.dir;
    await connection.call('watchSources', { home, variables: {}, scope: 'everything', folders: [], limit: 100 });
    const { session_id } = await connection.call('start', place.startParams([{ init: true }, { result: {} }]));
    await place.stateOf(session_id, ({ live }) => !live);
    const threads = await until('a daemon without short timers', async () => {
      const found = await threadsIn(folder);
      return found.length > 1 && found.every(({ delays }) => delays.every((ms) => ms >= longMs)) && found;
    });
    assert.equal(threads.length, 2, 'its main thread, and that which indexes');
    // V8's own timers are not among the recorded ones.
    const withoutReducer = threads.filter((thread) => thread.arguments.includes('--no-memory-reducer'));
    assert.equal(withoutReducer.length, 1, 'the main thread, whose flags are those of the process');
    assert.ok(threads.every(({ delays }) => delays.length > 0));
  });
});
