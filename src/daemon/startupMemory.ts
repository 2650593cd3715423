import { setFlagsFromString } from 'node:v8';

/** Time after which a start is complete, in ms. */
const settleMs = 1000;
/** Node.js 20 has the second one switched off. */
const compilers = Number(process.versions.node.split('.')[0]) >= 22 ? ['opt', 'maglev'] : ['opt'];

/**
 * Switches off V8's optimizing compilers until the daemon has started: once used, their code takes 8 MB, which a waiting
 * daemon does not need. Call the result when the daemon is ready.
 */
export function startUnoptimized(): () => void {
  for (const each of compilers) setFlagsFromString(`--no-${each}`);
  return () => {
    setTimeout(() => {
      for (const each of compilers) setFlagsFromString(`--${each}`);
    }, settleMs).unref();
  };
}
