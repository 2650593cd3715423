export interface DaemonOptions {
  readonly storeDir: string;
  readonly demoDir: string;
  readonly version: string;
  /** Called when a daemon of this store is listening: this one, or another that was faster. */
  readonly onReady: () => void;
}
