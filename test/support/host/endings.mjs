// @ts-check
/** Ways to end that leave nothing behind. */

/**
 * Calls `stop` when our parent is gone: npm ends at SIGTERM without telling what its shell had started.
 * @param {() => void} stop
 */
export function endWithParent(stop) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 500);
  watch.unref();
}

/** Makes signals end this process by `process.exit`, so that what it started is ended by `exit` listeners. */
export function exitOnSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
}
