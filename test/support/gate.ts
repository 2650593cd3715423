/** What waits until a test says that it may continue. */
export class Gate {
  readonly opened: Promise<void>;
  open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve));
  }
}
