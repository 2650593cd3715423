import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { AgentOptions } from '../../agents/adapter.ts';
import type { AgentReport } from '../../engine/api.ts';
import type { SessionHandle, WindowEngine } from '../engine/windowEngine.ts';
import type { RecallResult } from '../../engine/recall/types.ts';
import type { BudgetStatus } from '../../model/usage/budget.ts';
import { askForLimit } from '../budgets/raiseBudget.ts';
import type { BlueprintRuns } from '../agents/blueprintRuns.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import type { FailureContext, Failures } from '../failures/failures.ts';
import { inertText } from '../text/inertText.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { withChoice } from '../../agents/withChoice.ts';
import { offerToStopChildren } from '../sessions/stopChildSessions.ts';
import type { AgentName, RunMemory } from './runMemory.ts';
import type { RunRequest } from './runRequest.ts';
import type { WindowRunners } from '../runner/windowRunners.ts';
import { notForkableAtReason, notForkableReason, notResumableReason } from '../panel/sessionView.ts';
import { agentOptions } from '../settings/settings.ts';
import { canStartAgents } from '../settings/trust.ts';

const { t } = vscode.l10n;

export interface RunControlDeps {
  readonly engines: EngineHost;
  readonly memory: RunMemory;
  readonly blueprints: BlueprintRuns;
  readonly queue: WindowRunners;
  readonly failures: Failures;
  readonly log: vscode.LogOutputChannel;
}

/** Starts, resumes and stops runs for commands and pages, and shows failures. */
export class RunControl {
  readonly #engines: EngineHost;
  readonly #runMemory: RunMemory;
  readonly #blueprints: BlueprintRuns;
  readonly #queue: WindowRunners;
  readonly #failures: Failures;
  readonly #log: vscode.LogOutputChannel;

  constructor({ engines, memory, blueprints, queue, failures, log }: RunControlDeps) {
    this.#engines = engines;
    this.#runMemory = memory;
    this.#blueprints = blueprints;
    this.#queue = queue;
    this.#failures = failures;
    this.#log = log;
  }

  /** Returns the new session's id, or `undefined` if it failed and the user was told why. */
  async start(request: RunRequest): Promise<string | undefined> {
    const { agent, profile, prompt, cwd, title, choice = {}, recall } = request;
    const recording = agent === 'replay';
    if (!recording && !canStartAgents()) return undefined;
    const folder = cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? (recording ? homedir() : undefined);
    const inside = folder === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder));
    if (folder === undefined || (!recording && inside === undefined)) {
      void vscode.window.showErrorMessage(t('Agents run only in folders of this workspace. Open the folder first.'));
      return undefined;
    }
    const options = withChoice(agentOptions(agent, inside?.uri), choice);
    const id = await this.#run('start', { agent: request }, async (engine) => {
      const recorded = recording && prompt.trim() === '' ? await findDemoRecording(engine) : undefined;
      const name = recorded?.title ?? title;
      return engine.start({
        agent,
        cwd: folder,
        options,
        prompt: recorded?.prompts[0] ?? prompt,
        ...(profile !== undefined && { profile }),
        ...(name !== undefined && { title: name }),
        ...(recall !== undefined && { recall }),
      });
    });
    if (id !== undefined && !recording) await this.#runMemory.rememberRun(request, choice, id);
    return id;
  }

  /** Starts an agent file by name in `cwd` or the first folder. Returns as `start`. */
  async startBlueprint(name: string, prompt: string, cwd?: string): Promise<string | undefined> {
    if (!canStartAgents()) return undefined;
    const folder = cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const inside = folder === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder));
    if (folder === undefined || inside === undefined) {
      void vscode.window.showErrorMessage(t('Agents run only in folders of this workspace. Open the folder first.'));
      return undefined;
    }
    const options = (agent: ExecutorType) => agentOptions(agent, inside.uri);
    return this.#run('start agent', {}, async (engine) =>
      engine.start(await this.#blueprints.start(name, { prompt, cwd: folder, options })),
    );
  }

  /** Returns the session's id, or `undefined` if it failed and the user was told why. */
  async resume(session: string, prompt: string, recall?: RecallResult): Promise<string | undefined> {
    const planned = await this.#resumeRequest(session, prompt);
    if (planned === undefined) return undefined;
    const { agent, ...known } = planned;
    const request = recall === undefined ? known : { ...known, recall };
    const startNewConversation = async (): Promise<void> => {
      await this.#run('start a new conversation', { session, agent }, (engine) =>
        engine.startNewConversation(session, request),
      );
    };
    return this.#run('resume', { session, agent, startNewConversation }, (engine) => engine.resume(session, request));
  }

  /**
   * Forks a session; `at`: with what came before that prompt. Returns the new id, or `undefined` if it failed and the user
   * was told why.
   */
  async fork(session: string, prompt: string, at?: number): Promise<string | undefined> {
    const planned = await this.#resumeRequest(
      session,
      prompt,
      at === undefined ? notForkableReason : notForkableAtReason,
    );
    if (planned === undefined) return undefined;
    const { agent, ...request } = planned;
    return this.#run('fork', { session, agent }, (engine) => engine.fork(session, request, at));
  }

  async stop(session: string): Promise<void> {
    this.#log.info(logLine('stop', { session }));
    try {
      const engine = await this.#engines.get();
      const handle = await engine.open(session);
      const live = handle.isLive();
      handle.dispose();
      if (!live) {
        await this.#queue.stop(session);
        return;
      }
      await engine.stop(session);
      // Children that were starting are now running, or will not start.
      void offerToStopChildren(engine, session).catch((error: unknown) => this.#failures.show(error, { session }));
    } catch (error) {
      await this.#failures.show(error, { session });
    }
  }

  /** Asks for new options, for now and later runs. */
  async changeOptions(session: string): Promise<void> {
    try {
      const { changeOptions } = await import('./changeOptions.ts');
      await changeOptions(await this.#engines.get(), this.#runMemory, session);
    } catch (error) {
      await this.#failures.show(error, { session });
    }
  }

  /** Stops the child sessions only. */
  async stopChildren(session: string): Promise<void> {
    this.#log.info(logLine('stop children', { session }));
    try {
      const { stopChildren } = await import('../../engine/children/stopSessionTree.ts');
      await stopChildren(await this.#engines.get(), session);
    } catch (error) {
      await this.#failures.show(error, { session });
    }
  }

  /**
   * Asks for a higher limit and resumes a paused session. Returns its id, or `undefined` if nothing was raised or
   * resumed.
   */
  async raiseBudget(session: string): Promise<string | undefined> {
    try {
      const engine = await this.#engines.get();
      const handle = await engine.open(session);
      const { budget } = handle.summary();
      handle.dispose();
      const status = budget?.reached ?? budget?.near;
      if (status === undefined) {
        void vscode.window.showInformationMessage(t('No budget is blocking this session.'));
        return undefined;
      }
      const raise = await askForLimit(status);
      if (raise === undefined) return undefined;
      await engine.budgets.raise(session, raise);
    } catch (error) {
      void this.#failures.show(error, { session });
      return undefined;
    }
    return (await this.#isPausedByBudget(session)) ? this.resume(session, '') : session;
  }

  async #isPausedByBudget(session: string): Promise<boolean> {
    const handle = await (await this.#engines.get()).open(session);
    const paused = !handle.isLive() && handle.summary().budget?.reached !== undefined;
    handle.dispose();
    return paused;
  }

  /** Overrides options with those chosen for a session. */
  #applySessionOptions(session: string) {
    return (options: AgentOptions): AgentOptions => withChoice(options, this.#runMemory.choiceOfSession(session));
  }

  async #resumeRequest(session: string, message: string, reasonAgainst = notResumableReason) {
    try {
      const engine = await this.#engines.get();
      const handle = await engine.open(session);
      const summary = handle.summary();
      const why = reasonAgainst(summary, handle.isLive());
      handle.dispose();
      if (why === undefined) {
        const folder = summary.project_dir === undefined ? undefined : vscode.Uri.file(summary.project_dir);
        const demo = summary.recording && summary.executor_profile === undefined;
        const recorded = demo && message.trim() === '' ? await findDemoRecording(engine) : undefined;
        const prompt = recorded?.prompts[summary.runs] ?? (message.trim() === '' ? t('Continue.') : message);
        const { executor_type: type = 'claude-code', executor_profile: profile } = summary;
        const agent: AgentName = { agent: type, ...(profile === undefined ? {} : { profile }) };
        const settings = agentOptions(type, folder);
        const applyOverrides = this.#applySessionOptions(session);
        const { missing, ...request } = await this.#blueprints.resume(summary, { prompt, settings, applyOverrides });
        if (missing !== undefined) {
          const text = t(
            'The file for agent “{0}” was deleted. The session continues without its instructions.',
            inertText(missing),
          );
          void vscode.window.showWarningMessage(text);
        }
        return { agent, ...request };
      }
      if (vscode.workspace.isTrusted || canStartAgents()) void vscode.window.showWarningMessage(inertText(why));
    } catch (error) {
      void this.#failures.show(error, { session });
    }
    return undefined;
  }

  async #run(
    what: string,
    context: FailureContext,
    begin: (engine: WindowEngine) => Promise<SessionHandle>,
  ): Promise<string | undefined> {
    try {
      const handle = await begin(await this.#engines.get());
      const { executor_type: agent } = handle.summary();
      this.#log.info(logLine(what, { session: handle.id, agent }));
      void handle.done.then((result) => {
        this.#log.info(logLine('run over', { session: handle.id, success: result?.success }));
        handle.dispose();
      });
      return handle.id;
    } catch (error) {
      const raiseBudget = async (status: BudgetStatus): Promise<void> => {
        const raise = await askForLimit(status);
        if (raise === undefined) return;
        await (await this.#engines.get()).budgets.raise(context.session, raise);
        const id = await this.#run(what, context, begin);
        if (id !== undefined) await vscode.commands.executeCommand('vitrine.openSession', id);
      };
      void this.#failures.show(error, { ...context, raiseBudget });
      return undefined;
    }
  }
}

/** The demo's recording; its prompts replace a missing prompt. */
async function findDemoRecording(engine: WindowEngine): Promise<AgentReport['recorded']> {
  return (await engine.agents()).find(({ recording }) => recording)?.recorded;
}
