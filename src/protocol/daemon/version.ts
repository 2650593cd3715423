/** Set by a build that stands for another version, in tests. */
declare const VITRINE_PROTOCOL: number | undefined;

/**
 * Version of this protocol. A client uses the daemon of its own version and starts one where there is none; daemons of
 * several versions share a store, each with its own runs. Raise it for every change that an older client or daemon would
 * not understand. The calls in `coreCalls` keep their form in every version, so that a client can always list, answer
 * and stop the runs of a daemon of another version.
 */
export const daemonProtocol = typeof VITRINE_PROTOCOL === 'number' ? VITRINE_PROTOCOL : 4;
