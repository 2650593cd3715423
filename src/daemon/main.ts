import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { keepHeapSmall } from '../engine/heapLimit.ts';
import { packageFolder, version } from '../engine/packageInfo.ts';
import { runDaemon } from './run.ts';
import { limitStartupMemory } from './startupMemory.ts';

/**
 * `daemon.js --store DIR`: serves one store until it is idle. Reports readiness as one JSON line on file descriptor 3. As a
 * thread of itself, it indexes.
 */
if (isMainThread) await serveStore();
else {
  const { serveIndexing } = await import('./indexing/thread.ts');
  serveIndexing();
}

async function serveStore(): Promise<void> {
  keepHeapSmall();
  const growWithWork = limitStartupMemory();
  const { values } = parseArgs({ options: { store: { type: 'string' } } });
  const ready = createWriteStream('', { fd: 3 });
  ready.on('error', () => undefined);

  try {
    if (values.store === undefined) throw new Error('--store is missing.');
    await runDaemon({
      storeDir: path.resolve(values.store),
      demoDir: path.join(packageFolder(import.meta.dirname), 'media/demo'),
      version: version(),
      file: fileURLToPath(import.meta.url),
      onReady: () => {
        ready.end(`${JSON.stringify({ ready: true })}\n`);
        growWithWork();
      },
    });
    process.exit(0);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    ready.end(`${JSON.stringify({ error: message })}\n`, () => process.exit(1));
  }
}
