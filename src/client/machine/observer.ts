/** A client that watches runs without keeping the daemon from exiting. */
export const observer = { kind: 'api', person: false, observes: true } as const;
