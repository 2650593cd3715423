import * as vscode from 'vscode';
import { joinAnswers } from '../../engine/search/sharedAnswer.ts';
import type { SearchAnswer, SearchedSession } from '../../engine/search/types.ts';
import { parseQuery } from '../../insight/search/query.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { SessionList } from '../sessions/sessionList.ts';
import type { SessionLoader } from '../sessions/sessionLoader.ts';
import {
  answerText,
  childNodes,
  entriesText,
  nodeItem,
  problemText,
  rootNodes,
  type SearchNode,
  sessionsText,
} from './searchNodes.ts';

const { t } = vscode.l10n;

const viewId = 'vitrine.search';

/**
 * Search results, grouped by session. The view appears with the first search and disappears when results are cleared.
 */
export class SearchView implements vscode.TreeDataProvider<SearchNode>, vscode.Disposable {
  readonly #engines: EngineHost;
  readonly #list: SessionList;
  readonly #loader: SessionLoader;
  readonly #now: () => number;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<SearchNode>;
  #query = '';
  #searchesEverywhere = false;
  #includesSynthetic = false;
  #answer: SearchAnswer | undefined;
  #activeSearch: AbortController | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(engines: EngineHost, list: SessionList, loader: SessionLoader, now: () => number) {
    this.#engines = engines;
    this.#list = list;
    this.#loader = loader;
    this.#now = now;
    this.#view = vscode.window.createTreeView(viewId, { treeDataProvider: this, showCollapseAll: true });
  }

  getChildren(node?: SearchNode): SearchNode[] {
    if (node !== undefined) return childNodes(node);
    return this.#answer === undefined ? [] : rootNodes(this.#answer);
  }

  getTreeItem(node: SearchNode): vscode.TreeItem {
    return nodeItem(node, this.#now());
  }

  /** Asks for the query unless it is given. */
  async search(initialQuery?: string): Promise<void> {
    const query = initialQuery ?? (await this.#ask());
    if (query === undefined || query.trim() === '') return;
    this.#query = query;
    await vscode.commands.executeCommand('setContext', 'vitrine.searched', true);
    await vscode.commands.executeCommand(`${viewId}.focus`);
    await this.#run();
  }

  get searchesEverywhere(): boolean {
    return this.#searchesEverywhere;
  }

  get synthetic(): boolean {
    return this.#includesSynthetic;
  }

  /** Includes sessions that the Sessions view hides, and those of other folders. */
  async setEverywhere(everywhere: boolean): Promise<void> {
    if (everywhere === this.#searchesEverywhere) return;
    this.#searchesEverywhere = everywhere;
    if (this.#query !== '') await this.#run();
  }

  /** Includes follow-ups and callbacks. */
  async setSynthetic(synthetic: boolean): Promise<void> {
    if (synthetic === this.#includesSynthetic) return;
    this.#includesSynthetic = synthetic;
    if (this.#query !== '') await this.#run();
  }

  async clear(): Promise<void> {
    this.#activeSearch?.abort();
    this.#answer = undefined;
    this.#query = '';
    this.#changed.fire();
    await vscode.commands.executeCommand('setContext', 'vitrine.searched', false);
  }

  async rebuild(): Promise<void> {
    const options = { location: vscode.ProgressLocation.Notification, title: t('Rebuilding the search index') };
    const scanned = await vscode.window.withProgress({ ...options, cancellable: true }, async (progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      const onProgress = (done: number, of: number): void => progress.report({ message: t('{0} of {1}', done, of) });
      const { archive } = await this.#engines.get();
      return archive.search.rebuild({ signal: stop.signal, onProgress }).catch(unlessAborted(stop.signal));
    });
    if (scanned === undefined) return;
    const { sessions, entries } = scanned;
    const text = t('Search index rebuilt: {0}, {1}.', sessionsText(sessions), entriesText(entries));
    void vscode.window.showInformationMessage(text);
    if (this.#query !== '') await this.#run();
  }

  dispose(): void {
    this.#activeSearch?.abort();
    this.#view.dispose();
    this.#changed.dispose();
  }

  async #ask(): Promise<string | undefined> {
    return vscode.window.showInputBox({
      title: t('Search Sessions'),
      value: this.#query,
      placeHolder: t('Words, "exact phrase", tool: file: kind: state: error'),
      prompt: t('Searches everything that was recorded, including tool output.'),
      validateInput: (value) => {
        const [problem] = parseQuery(value).problems;
        if (problem === undefined) return undefined;
        return { message: problemText(problem), severity: vscode.InputBoxValidationSeverity.Info };
      },
    });
  }

  async #run(): Promise<void> {
    this.#activeSearch?.abort();
    const stop = new AbortController();
    this.#activeSearch = stop;
    this.#view.description = this.#query;
    this.#view.message = t('Searching…');
    this.#answer = undefined;
    this.#changed.fire();
    const answer = await vscode.window.withProgress({ location: { viewId } }, async () => {
      const engine = await this.#engines.get();
      // The visible sessions are only known after loading.
      await this.#loader.load();
      const onProgress = (done: number, of: number): void => {
        if (!stop.signal.aborted) this.#view.message = t('Reading sessions: {0} of {1}', done, of);
      };
      const [within, synthetic] = [this.#createScopeFilter(), this.#includesSynthetic];
      const request = { query: this.#query, within, synthetic, signal: stop.signal, onProgress };
      const search = async (): Promise<SearchAnswer> => {
        const own = await engine.archive.search.search(request);
        const withTeam = this.#searchesEverywhere || this.#list.filter.scope === 'team';
        const shared = withTeam ? await engine.searchShared(request) : null;
        return shared === null ? own : joinAnswers(own, shared);
      };
      return search().catch((error: unknown) => {
        if (!stop.signal.aborted) this.#view.message = t('The search failed.');
        unlessAborted(stop.signal)(error);
        return undefined;
      });
    });
    if (answer === undefined || stop.signal.aborted) return;
    this.#answer = answer;
    this.#view.message = answerText(answer);
    this.#changed.fire();
  }

  #createScopeFilter(): (session: SearchedSession) => boolean {
    if (this.#searchesEverywhere) return () => true;
    const ids = new Set(this.#list.visible().map((row) => row.session_id));
    return ({ session_id }) => ids.has(session_id);
  }
}

/** Ignores cancellation. @throws every other error */
function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
