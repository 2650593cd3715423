import { setFlagsFromString } from 'node:v8';

/** Heap growth before garbage collection, in percent of the used size. V8's default allows it to double. */
const growth = 15;

/**
 * With much agent output, V8 lets the young generation, and garbage in the old one, grow by hundreds of megabytes. This
 * fixes the size of the young generation and collects the old one early.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${growth}`);
}
