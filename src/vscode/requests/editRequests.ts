import path from 'node:path';
import * as vscode from 'vscode';
import { type Proposal, readProposal } from '../../engine/requests/readEditPreviews.ts';
import { editedText } from '../../insight/files/preview/editedText.ts';
import { type AgentRequest, type Answer, requestMetadataSchema } from '../../model/agent/request.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { SessionHandle } from '../engine/windowEngine.ts';
import { visibleText } from '../text/inertText.ts';
import { ProposedFiles, proposedScheme } from './proposedFiles.ts';

const { t } = vscode.l10n;

interface OpenedDiff {
  readonly session: string;
  readonly request: string;
  readonly proposal: Proposal;
}

/** Requested edits in diff editors. The user can change the right side before allowing the edit. */
export class EditRequests implements vscode.Disposable {
  readonly #engines: EngineHost;
  readonly #files = new ProposedFiles();
  readonly #openDiffs = new Map<string, OpenedDiff>();
  readonly #registration: vscode.Disposable;

  constructor(engines: EngineHost) {
    this.#engines = engines;
    this.#registration = vscode.workspace.registerFileSystemProvider(proposedScheme, this.#files);
  }

  /** Shows the current file beside the result of the requested edit. */
  async open(handle: SessionHandle, { metadata }: NormalizedEntry): Promise<void> {
    const id = requestMetadataSchema.safeParse(metadata).data?.request.id;
    const request = handle
      .conversation()
      ?.pendingRequests()
      .find((waiting) => waiting.id === id);
    const folder = handle.summary().project_dir;
    const proposal = request === undefined ? undefined : await readProposal(request, folder);
    if (request === undefined || proposal === undefined) {
      void vscode.window.showInformationMessage(
        t('The edit no longer matches the file, so you cannot change it here.'),
      );
      return;
    }
    const name = path.basename(proposal.path);
    const query = new URLSearchParams({ session: handle.id, request: request.id });
    const right = vscode.Uri.from({ scheme: proposedScheme, path: `/${name}`, query: query.toString() });
    this.#openDiffs.set(right.toString(), { session: handle.id, request: request.id, proposal });
    this.#files.put(right, proposal.after);
    const place = path.resolve(request.cwd ?? folder ?? '', proposal.path);
    const left = proposal.before === null ? this.#createEmptyFile(right) : vscode.Uri.file(place);
    const title = t('{0} (now ↔ what the agent would write)', visibleText(name));
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: false });
  }

  /** Allows the request with the text in the editor. */
  async allowWithEdits(uri: vscode.Uri | undefined): Promise<void> {
    const right = uri ?? vscode.window.activeTextEditor?.document.uri;
    const opened = right === undefined ? undefined : this.#openDiffs.get(right.toString());
    if (right === undefined || opened === undefined) {
      void vscode.window.showInformationMessage(t('This request is no longer waiting.'));
      return;
    }
    const document = await vscode.workspace.openTextDocument(right);
    const handle = await (await this.#engines.get()).open(opened.session);
    try {
      const request = handle
        .conversation()
        ?.pendingRequests()
        .find(({ id }) => id === opened.request);
      const answer = request === undefined ? undefined : await this.#answer(handle, request, opened, document);
      if (answer === 'stay') return;
      const accepted = answer !== undefined && (await handle.conversation()?.answer(opened.request, answer)) === true;
      if (!accepted) void vscode.window.showInformationMessage(t('This request is no longer waiting.'));
      await this.#close(right, document);
    } finally {
      handle.dispose();
    }
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** `stay`: keep the editor open, because the user must check it again. */
  async #answer(
    handle: SessionHandle,
    request: AgentRequest,
    { proposal }: OpenedDiff,
    document: vscode.TextDocument,
  ): Promise<Answer | 'stay'> {
    const now = await readProposal(request, handle.summary().project_dir);
    if (now?.before !== proposal.before) {
      void vscode.window.showWarningMessage(t('The file changed since you opened the edit. Open it again.'));
      return 'stay';
    }
    const text = document.getText().replaceAll('\r\n', '\n');
    if (text === proposal.after) return { kind: 'allow', scope: 'once' };
    if (text === (proposal.before ?? '')) {
      void vscode.window.showInformationMessage(
        t('Your text is the same as the current file. Deny the request instead.'),
      );
      return 'stay';
    }
    return { kind: 'allow', scope: 'once', edited: editedText(request, proposal.path, proposal.before, text) };
  }

  /** The left side of a new file. */
  #createEmptyFile(right: vscode.Uri): vscode.Uri {
    const uri = right.with({ query: `${right.query}&empty=1` });
    this.#files.put(uri, '');
    return uri;
  }

  async #close(right: vscode.Uri, document: vscode.TextDocument): Promise<void> {
    // Otherwise VS Code asks whether to save it.
    await document.save();
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(
        ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === right.toString(),
      );
    await vscode.window.tabGroups.close(tabs);
    this.#openDiffs.delete(right.toString());
    this.#files.drop(right);
  }
}
