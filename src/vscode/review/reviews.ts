import * as vscode from 'vscode';
import type { EngineHost } from '../engine/engineHost.ts';
import { beforeScheme } from './beforeUri.ts';
import type { ReviewController } from './reviewController.ts';

interface ReviewsDeps {
  readonly engines: EngineHost;
  readonly state: vscode.Memento;
}

/** Changes of a session, to be reviewed one by one. Loaded when someone first asks for them, or a window brings back a diff. */
export class Reviews implements vscode.Disposable {
  readonly #deps: ReviewsDeps;
  readonly #documents: vscode.Disposable;
  #controller: Promise<ReviewController> | undefined;

  constructor(deps: ReviewsDeps) {
    this.#deps = deps;
    this.#documents = vscode.workspace.registerTextDocumentContentProvider(beforeScheme, {
      provideTextDocumentContent: async (uri) => (await this.controller()).textBefore(uri),
    });
  }

  controller(): Promise<ReviewController> {
    this.#controller ??= import('./reviewController.ts').then(
      ({ ReviewController }) => new ReviewController(this.#deps.engines, this.#deps.state),
    );
    return this.#controller;
  }

  dispose(): void {
    this.#documents.dispose();
    void this.#controller?.then((controller) => controller.dispose());
  }
}
