import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { keepHeapSmall } from '../engine/heapLimit.ts';
import { packageFolder, version } from '../engine/packageInfo.ts';
import { runDaemon } from './run.ts';

/** `daemon.js --store DIR`: serves one store until it is idle. Reports readiness as one JSON line on file descriptor 3. */
keepHeapSmall();
const { values } = parseArgs({ options: { store: { type: 'string' } } });
const ready = createWriteStream('', { fd: 3 });
ready.on('error', () => undefined);

try {
  if (values.store === undefined) throw new Error('--store is missing.');
  await runDaemon({
    storeDir: path.resolve(values.store),
    demoDir: path.join(packageFolder(import.meta.dirname), 'media/demo'),
    version: version(),
    onReady: () => void ready.end(`${JSON.stringify({ ready: true })}\n`),
  });
  process.exit(0);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  ready.end(`${JSON.stringify({ error: message })}\n`, () => process.exit(1));
}
