// @ts-check
/** Ways for a process to end that leave nothing behind. */

/**
 * Calls `stop` when the parent process has ended: npm ends on SIGTERM without telling what its shell started.
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

/** Makes a signal, and the end of the parent, end this process by `process.exit`, so that `exit` listeners clean up. */
export function exitOnSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
  endWithParent(() => process.exit(130));
}
