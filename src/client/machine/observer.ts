/** A client that watches what runs and does not keep the daemon from exiting. */
export const observer = { kind: 'api', person: false, observes: true } as const;
