/** Tests build with another version. */
declare const VITRINE_PROTOCOL: number | undefined;

/**
 * Version of this protocol. A client uses the daemon of its own version and starts one if there is none. Daemons of several
 * versions share a store, each with its own runs. Raise it for every change that an older client or daemon would not
 * understand. The calls in `coreCalls` never change, so that a client can list, answer and stop runs of any daemon.
 */
export const daemonProtocol = typeof VITRINE_PROTOCOL === 'number' ? VITRINE_PROTOCOL : 6;
