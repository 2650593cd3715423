import { setFlagsFromString } from 'node:v8';

/** How much the heap may grow, in percent of what is in use, before garbage is collected. V8 would let it double. */
const growth = 15;

/**
 * While an agent prints much, V8 lets its space for new objects grow, and with it the garbage in the old one, by hundreds of
 * megabytes. From here on that space keeps its size, and the old one is collected early.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${growth}`);
}
