import * as vscode from 'vscode';

/** The progress bar above a view, for work in other processes. */
export class ViewProgress {
  readonly #viewId: string;
  #end: (() => void) | undefined;

  constructor(viewId: string) {
    this.#viewId = viewId;
  }

  show(isWorking: boolean): void {
    if (!isWorking) {
      this.#end?.();
      this.#end = undefined;
    } else if (this.#end === undefined) {
      const work = new Promise<void>((resolve) => {
        this.#end = resolve;
      });
      void vscode.window.withProgress({ location: { viewId: this.#viewId } }, () => work);
    }
  }
}
