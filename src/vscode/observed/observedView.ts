import * as vscode from 'vscode';
import type { ObservedAgent } from '../../model/session/observed.ts';
import { executorOf } from '../../insight/observed/asSession.ts';
import type { ObservedState } from '../../model/observedState.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { PageCommand, SessionView } from '../../protocol/panel/messages.ts';
import { isForkable } from '../resume/fork.ts';
import { visibleText } from '../text/inertText.ts';

const { t } = vscode.l10n;

/** Agents that write an answer to their store only when it is complete. */
const buffering: readonly ObservedAgent[] = ['claude-code', 'codex', 'copilot', 'gemini', 'qwen'];

const commands: readonly PageCommand[] = [
  'copySessionId',
  'copyLink',
  'copyResumeCommand',
  'fork',
  'keep',
  'manageTrust',
  'runAgent',
  'showUsage',
];

/** Whether Vitrine has no record of the session in this store: it is another program's, or another member's of the team. */
export function isOfOthers({ observed, shared }: SessionSummary): boolean {
  return observed !== undefined || shared !== undefined;
}

/** Whether a page command works for sessions without a record. */
export function isForObserved(command: PageCommand): boolean {
  return commands.includes(command);
}

/** Why another program's session accepts no messages; `undefined` if it can be resumed. */
export function readOnlyReason(summary: SessionSummary, { agent, live }: ObservedState): string | undefined {
  const label = visibleText(summary.agent_label);
  if (live.state === 'ended') {
    return executorOf(agent) === undefined ? t('Vitrine cannot resume {0} sessions.', label) : undefined;
  }
  return isForkable(summary)
    ? t(
        'This {0} session is running in another program. Answer its requests there. Here, you can only watch it or fork it.',
        label,
      )
    : t(
        'This {0} session is running in another program. Answer its requests there. Here, you can only watch it.',
        label,
      );
}

interface WatchState {
  readonly problems: readonly string[];
  /** Vitrine has joined the session through the agent's own server. */
  readonly isJoined: boolean;
}

/** Notice that another program has the session, with its source and limitations. */
export function observedNotice(
  { agent_label: label }: SessionSummary,
  { agent, live, path }: ObservedState,
  { problems: [problem, ...others], isJoined }: WatchState,
): SessionView['notice'] {
  if (problem !== undefined) {
    const text = others.length === 0 ? problem : t('{0} ({1} more problems)', problem, others.length);
    return { severity: 'warning', text: t('{0} Read from {1}.', text, visibleText(path)) };
  }
  const watched = t('Another program started this session. Vitrine reads it from {0}.', visibleText(path));
  if (live.state === 'ended' && executorOf(agent) !== undefined) {
    return { severity: 'info', text: `${watched} ${t('Resume it to record it in Vitrine, with its history.')}` };
  }
  if (live.state === 'ended' || !buffering.includes(agent)) return { severity: 'info', text: watched };
  if (isJoined) {
    const joined = t(
      'This {0} session is running in another program. You can answer, send messages and stop the turn in either place. Closing this view does not stop it.',
      visibleText(label),
    );
    return { severity: 'info', text: joined };
  }
  const lag = t(
    '{0} stores a response only when it is complete, so this view can be one response behind.',
    visibleText(label),
  );
  return { severity: 'info', text: `${watched} ${lag}` };
}
