import * as vscode from 'vscode';
import { Channel } from '../../protocol/channel.ts';
import type { RunSpending } from '../../insight/usage/spending.ts';
import type { FromUsagePage, TeamCoverage, ToUsagePage, UsageScope } from '../../protocol/pages/usageMessages.ts';
import { localDay } from '../../engine/usage/localDay.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { pageRoots, panelHtml } from '../panel/panelHtml.ts';
import { isHere, type SessionList } from '../sessions/sessionList.ts';
import { countsObserved } from '../settings/settings.ts';

const viewType = 'vitrine.usage';
/** Debounce time in ms, because a running session changes constantly. */
const quiet = 2000;

interface UsageDeps {
  readonly extension: vscode.Uri;
  readonly engines: EngineHost;
  readonly list: SessionList;
  readonly now: () => number;
  readonly log: vscode.LogOutputChannel;
}

/** Cost of today and of a month, by day, agent and model. Computed only while visible. */
export class UsageView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #deps: UsageDeps;
  readonly #registration: vscode.Disposable;
  /** `undefined`: the current month, also after it changes. */
  #month: string | undefined;
  #scope: UsageScope = 'workspace';
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: UsageDeps) {
    this.#deps = deps;
    this.#registration = vscode.window.registerWebviewViewProvider(viewType, this);
  }

  /** The visible month; `undefined`: the current one. */
  get month(): string | undefined {
    return this.#month;
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const { extension, list, log } = this.#deps;
    const { parseFromUsagePage } = await import('../../protocol/pages/fromUsageSchema.ts');
    const { webview } = view;
    webview.options = {
      enableScripts: true,
      enableForms: false,
      enableCommandUris: false,
      localResourceRoots: pageRoots(extension),
    };
    const channel = new Channel<ToUsagePage, FromUsagePage>({
      post: (envelope) => void webview.postMessage(envelope),
      deliver: (message) => void this.#handleMessage(message, channel),
    });
    const subscriptions = [
      webview.onDidReceiveMessage((data: unknown) => {
        const envelope = parseFromUsagePage(data);
        if (envelope === undefined) log.warn(logLine('usage message refused'));
        else channel.receive(envelope);
      }),
      list.onDidChange(() => {
        if (view.visible) this.#scheduleUpdate(channel);
      }),
      view.onDidChangeVisibility(() => {
        if (view.visible) this.#scheduleUpdate(channel, 0);
      }),
    ];
    view.onDidDispose(() => {
      clearTimeout(this.#timer);
      for (const subscription of subscriptions) subscription.dispose();
    });
    webview.html = panelHtml(webview, extension, 'usage');
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#registration.dispose();
  }

  async #handleMessage(message: FromUsagePage, channel: Channel<ToUsagePage, FromUsagePage>): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.#send(channel);
      case 'show':
        this.#month = message.month === localDay(this.#deps.now()).slice(0, 7) ? undefined : message.month;
        this.#scope = message.scope;
        return this.#send(channel);
      case 'export':
        await vscode.commands.executeCommand('vitrine.exportUsage');
    }
  }

  #scheduleUpdate(channel: Channel<ToUsagePage, FromUsagePage>, ms = quiet): void {
    if (ms === 0) clearTimeout(this.#timer);
    else if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send(channel);
    }, ms);
  }

  /** Each message contains the complete view and starts a generation. */
  async #send(channel: Channel<ToUsagePage, FromUsagePage>): Promise<void> {
    const answer = await this.#createPage().catch((error: unknown): ToUsagePage => {
      const message = error instanceof Error ? error.message : String(error);
      this.#deps.log.error(logLine('usage failed', { error: message }));
      return { type: 'failed', message };
    });
    channel.restart();
    channel.send(answer);
  }

  async #createPage(): Promise<ToUsagePage> {
    const { engines, list, now } = this.#deps;
    const [{ usageReport }, engine] = await Promise.all([import('../../insight/usage/usageReport.ts'), engines.get()]);
    const { runSpending, omitted, unreadable } = await engine.archive.spending();
    // Without the daemon, only the team is missing.
    const isInTeam = (await engine.team.state().catch(() => null)) !== null;
    if (!isInTeam && this.#scope === 'team') this.#scope = 'all';
    const ids = new Set(list.here().map((row) => row.session_id));
    const scope = this.#scope;
    const own = scope === 'workspace' ? runSpending.filter(({ sessionId }) => ids.has(sessionId)) : runSpending;
    const within = scope === 'workspace' ? isHere : undefined;
    const shared = scope === 'team' ? await sharedSpending(engine) : undefined;
    const counted = [
      ...own,
      ...(countsObserved() ? await engine.archive.observedSpending(within) : []),
      // What another machine ran for an agent of this one is in both.
      ...(shared?.spent ?? []).filter(({ sessionId }) => !runSpending.some((own) => own.sessionId === sessionId)),
    ];
    const today = localDay(now());
    const { month, first, last, day, total, days, agents, models } = usageReport(
      counted,
      this.#month ?? today.slice(0, 7),
      today,
      localDay,
    );
    return {
      type: 'usage',
      page: {
        ...{ month, first, last, scope, day, total, days, agents, models, omitted, unreadable, isInTeam },
        ...(shared !== undefined && { team: shared.covers }),
      },
      l10n: vscode.l10n.bundle ?? {},
      locale: vscode.env.language,
    };
  }
}

/** What sessions of other members used, each on the day on which it was created. Never rejects. */
async function sharedSpending({
  team,
}: WindowEngine): Promise<{ readonly spent: readonly RunSpending[]; readonly covers: TeamCoverage }> {
  const { spendingOfSession } = await import('../../insight/usage/spending.ts');
  const found = await team.sharedSessions().catch(() => null);
  const sessions = found?.sessions ?? [];
  return {
    spent: sessions.flatMap((summary) => spendingOfSession(summary, [])),
    covers: {
      sessions: sessions.length,
      isComplete: found?.is_complete !== false,
      isConnected: found?.is_connected === true,
    },
  };
}
