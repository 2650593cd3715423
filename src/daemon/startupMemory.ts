import { setFlagsFromString } from 'node:v8';

/** Time after which a start is complete, in ms. */
const settleMs = 1000;
/** Node.js 20 has the second one switched off. */
const compilers = Number(process.versions.node.split('.')[0]) >= 22 ? ['opt', 'maglev'] : ['opt'];

/**
 * Keeps the memory of a daemon that only waits small: the start uses none of V8's optimizing compilers, whose code takes
 * 6 MB, and the heap hardly grows. Call the result when the daemon is ready: work gets the compilers, and room that halves
 * the time for collecting garbage.
 */
export function limitStartupMemory(): () => void {
  for (const compiler of compilers) setFlagsFromString(`--no-${compiler}`);
  return () => {
    setTimeout(() => {
      for (const compiler of compilers) setFlagsFromString(`--${compiler}`);
      setFlagsFromString('--semi-space-growth-factor=2');
      setFlagsFromString('--heap-growing-percent=60');
    }, settleMs).unref();
  };
}
