import * as vscode from 'vscode';
import { EngineFailure } from '../../engine/failures/failures.ts';
import type { BudgetStatus } from '../../model/usage/budget.ts';
import { failureText, failureSentences } from './failureText.ts';
import { inertText } from '../text/inertText.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { installAddress, placeSetting } from '../run/steps/agentPlaces.ts';
import type { AgentName } from '../run/runMemory.ts';

const { t } = vscode.l10n;

/** Context of a failure that its buttons need. */
export interface FailureContext {
  readonly agent?: AgentName;
  readonly session?: string;
  /** Offered if the agent does not know the conversation any more. */
  readonly startNewConversation?: () => Promise<void>;
  /** Offered if a limit prevented the run. */
  readonly raiseBudget?: (status: BudgetStatus) => Promise<void>;
}

interface Button {
  readonly title: string;
  run(): Thenable<unknown> | undefined;
}

/** Shows a failure with its cause and next steps. Details go to the log. */
export class Failures {
  readonly #log: vscode.LogOutputChannel;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  /** Resolves when the message was answered or closed. */
  async show(error: unknown, context: FailureContext = {}): Promise<void> {
    const code = EngineFailure.is(error) ? error.code : 'unexpected';
    this.#log.error(logLine('failed', { code, session: context.session, error: String(error) }));
    if (!EngineFailure.is(error) && error instanceof Error && error.stack !== undefined) this.#log.error(error.stack);
    const buttons = [...this.#actionsFor(error, context), this.#outputButton()];
    const text = inertText(textOf(error));
    const chosen = await vscode.window.showErrorMessage(text, ...buttons.map(({ title }) => title));
    await buttons.find(({ title }) => title === chosen)?.run();
  }

  #outputButton(): Button {
    return {
      title: t('Show Output'),
      run: () => {
        this.#log.show();
        return undefined;
      },
    };
  }

  #actionsFor(error: unknown, context: FailureContext): readonly Button[] {
    const doctor = command(t('Doctor'), 'vitrine.doctor');
    if (!EngineFailure.is(error)) return [];
    const { action } = error;
    const first = actionButton(error, context);
    const extra = error.tried.length > 0 && action !== 'doctor' ? [doctor] : [];
    return first === undefined ? extra : [first, ...extra];
  }
}

function command(title: string, id: string, ...args: readonly unknown[]): Button {
  return { title, run: () => vscode.commands.executeCommand(id, ...args) };
}

function actionButton(
  { action, budget }: EngineFailure,
  { agent, session, startNewConversation, raiseBudget }: FailureContext,
): Button | undefined {
  switch (action) {
    case undefined:
      return undefined;
    case 'raiseBudget':
      if (budget === undefined || raiseBudget === undefined) return undefined;
      return { title: t('Raise Budget…'), run: () => raiseBudget(budget) };
    case 'openSettings':
      return command(t('Open Settings'), 'workbench.action.openSettings', placeOf(agent));
    case 'doctor':
      return command(t('Doctor'), 'vitrine.doctor');
    case 'install':
      return installButton(agent);
    case 'startAfresh':
      return startNewConversation === undefined
        ? undefined
        : { title: t('Start New Conversation with Summary'), run: startNewConversation };
    case 'revealRecord':
      return session === undefined ? undefined : command(t('Reveal Record'), 'vitrine.revealRecord', session);
  }
}

const placeOf = (agent: AgentName | undefined): string =>
  agent === undefined ? '@ext:vitrine.vitrine path' : placeSetting(agent);

function installButton(agent: AgentName | undefined): Button {
  const address = agent === undefined ? undefined : installAddress(agent);
  if (address === undefined) return command(t('Open Settings'), 'workbench.action.openSettings', placeOf(agent));
  return { title: t('How to Install'), run: () => vscode.env.openExternal(vscode.Uri.parse(address)) };
}

/** Doctor lists the searched places, which do not fit into a message. */
function textOf(error: unknown): string {
  if (!EngineFailure.is(error)) return error instanceof Error ? error.message : String(error);
  return error.tried.length > 0 ? failureText(error).message : failureSentences(error);
}
