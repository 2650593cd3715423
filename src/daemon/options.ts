export interface DaemonOptions {
  readonly storeDir: string;
  readonly demoDir: string;
  readonly version: string;
  /** Main file of the daemon, which serves as its indexing thread too. */
  readonly file: string;
  /** Called when a daemon of this store is listening: this one, or another that was faster. */
  readonly onReady: () => void;
}
