import { setFlagsFromString } from 'node:v8';

/**
 * While an agent prints much, V8 lets its space for new objects grow, and with it the garbage in the old one, by hundreds of
 * megabytes. From here on that space keeps its size.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
