import { hostname } from 'node:os';
import * as vscode from 'vscode';
import type { Notice, SessionHandle } from '../engine/windowEngine.ts';
import type { AgentRequest } from '../../model/agent/request.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { PageEntry, SessionView, WaitingRequest } from '../../protocol/panel/messages.ts';
import { failureSentences } from '../failures/failureText.ts';
import { observedNotice, readOnlyReason } from '../observed/observedView.ts';
import { deletionText } from '../sessions/rowText.ts';
import { isForkable } from '../resume/fork.ts';
import { remoteText } from '../team/teamText.ts';
import { visibleText } from '../text/inertText.ts';
import { isReadOnly } from '../../model/session/importedSession.ts';

const { t } = vscode.l10n;

/**
 * Why the session accepts no messages now, or `undefined`. Recordings start no program and play anywhere. Agents run
 * only in folders of this workspace, which are covered by workspace trust.
 */
export function notResumableReason(summary: SessionSummary, live: boolean): string | undefined {
  if (summary.shared !== undefined) return sharedReason(summary.shared, live);
  const watched = summary.observed === undefined ? undefined : readOnlyReason(summary, summary.observed);
  if (watched !== undefined) return watched;
  if (summary.remote !== undefined)
    return t('This session belongs to another machine: {0}. You can read it here.', remoteText(summary.remote));
  if (summary.observed === undefined && isSessionLive(summary.status)) return live ? undefined : otherDaemon(summary);
  if (isReadOnly(summary)) return t('This session was imported. You can read and export it.');
  if (summary.recording) return undefined;
  return notStartableReason(summary);
}

/** Why the conversation cannot be forked, or `undefined`. It may be running, here or in another program. */
export function notForkableReason(summary: SessionSummary): string | undefined {
  if (summary.shared !== undefined || !isForkable(summary))
    return t('{0} cannot fork this session.', visibleText(summary.agent_label));
  return notStartableReason(summary);
}

/** Why the session cannot be forked at a prompt, or `undefined`. An agent without its conversation gets the transcript. */
export function notForkableAtReason(summary: SessionSummary): string | undefined {
  const { shared, remote, recording, executor_type: type } = summary;
  if (shared !== undefined || remote !== undefined || recording || type === undefined)
    return t('{0} cannot fork this session.', visibleText(summary.agent_label));
  return notStartableReason(summary);
}

function untrustedReason(): string | undefined {
  if (vscode.workspace.isTrusted) return undefined;
  return t('You cannot send messages in Restricted Mode. You can still read this session.');
}

function notStartableReason(summary: SessionSummary): string | undefined {
  const untrusted = untrustedReason();
  if (untrusted !== undefined) return untrusted;
  const folder = summary.project_dir;
  if (folder === undefined || vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) === undefined) {
    return t(
      'This session belongs to the folder {0}. Open that folder to resume the session.',
      folder ?? t('(unknown)'),
    );
  }
  return undefined;
}

/** Another member's session is read here, and resumed on its own machine. Whoever asked for a run can answer and stop it. */
function sharedReason(shared: NonNullable<SessionSummary['shared']>, live: boolean): string {
  const { member, hostname: machine, requested } = shared;
  if (requested === true && live)
    return t(
      '{0} is running this session for you on {1}. You can answer its requests and stop it here.',
      visibleText(member),
      visibleText(machine),
    );
  return t('{0} shares this session from {1}. You can read it here.', visibleText(member), visibleText(machine));
}

/** For a running session that is not in this window's daemon. */
function otherDaemon({ hostname: machine }: SessionSummary): string {
  return machine === undefined || machine === hostname()
    ? t('Another version of Vitrine is running this session. You can read it here.')
    : t('Vitrine on {0} is running this session. You can read it here.', machine);
}

/** Until the end of a run that a daemon of another version has. */
function otherVersionNotice(version: string): string {
  return t(
    'Vitrine {0} is running this session. You can answer, send messages and stop it here. Responses appear only when complete, messages cannot be unsent, and option changes apply from the next run.',
    version,
  );
}

function noticeOf(handle: SessionHandle, reported: Notice | readonly string[]): SessionView['notice'] {
  if ('failure' in reported) return { severity: reported.severity, text: failureSentences(reported.failure) };
  const { observed } = handle.summary();
  if (observed !== undefined) {
    const isJoined = handle.conversation() !== null;
    return observedNotice(handle.summary(), observed, { problems: handle.problems(), isJoined });
  }
  const [missing, ...others] = reported;
  if (missing !== undefined) {
    const text =
      others.length === 0
        ? missing
        : t('{0} ({1} more. Run Verify Session Record to see them.)', missing, others.length);
    return { severity: 'warning', text };
  }
  const { outcome } = handle.summary();
  const version = handle.otherVersion();
  if (version !== undefined) return { severity: 'info', text: otherVersionNotice(version) };
  const problems = handle.problems();
  if (problems.length > 0) {
    const [first = ''] = problems;
    const text =
      problems.length === 1
        ? t('One part of this record is damaged: {0}', first)
        : t('{0} parts of this record are damaged. The first: {1}', problems.length, first);
    return { severity: 'warning', text };
  }
  if (outcome !== 'interrupted' || handle.isLive()) return null;
  return {
    severity: 'warning',
    text: t('The last run was interrupted. Everything received before that is shown.'),
  };
}

/** Puts the notice first that the agent will delete its file, with a button to keep the session. */
function withDeletion(
  notice: SessionView['notice'],
  { agent_label: label }: SessionSummary,
  days: number | undefined,
): SessionView['notice'] {
  if (days === undefined) return notice;
  const text = [deletionText(label, days), ...(notice === null ? [] : [notice.text])].join(' ');
  return { severity: 'warning', text, fix: 'keep' };
}

/** The question itself is in the transcript and is sent once. */
function toWaitingRequest({ id, kind, callId, title, asked_at, expires_at }: AgentRequest): WaitingRequest {
  return { id, kind, title, asked_at, expires_at, ...(callId !== undefined && { callId }) };
}

export interface ViewContext {
  /** Time of the next follow-up, ISO 8601. */
  readonly followUpAt: string | undefined;
  /** Days until the agent deletes its file; `undefined`: not soon, or unknown. */
  readonly daysToDeletion: number | undefined;
}

/**
 * The page's view of a session besides its entries. `reported`: engine notices about the active run, or what the record
 * lacks. `followUpAt`: time of the next follow-up (ISO 8601).
 */
export function sessionView(
  handle: SessionHandle,
  reported: Notice | readonly string[],
  { followUpAt, daysToDeletion }: ViewContext,
): SessionView {
  const summary = handle.summary();
  const busy = isSessionLive(summary.status);
  const conversation = handle.conversation();
  const isJoined = summary.observed !== undefined && conversation !== null;
  const why =
    (isJoined ? untrustedReason() : notResumableReason(summary, handle.isLive())) ??
    (busy && conversation?.takesMessages !== true
      ? t('The agent is running. You can send a message when it finishes.')
      : null);
  return {
    summary,
    ...(followUpAt !== undefined && { followUpAt }),
    turns: handle.turns(),
    conversation:
      conversation === null
        ? null
        : {
            takesMessages: conversation.takesMessages,
            requests: conversation.pendingRequests().map(toWaitingRequest),
            queued: conversation.queuedMessages(),
          },
    can: {
      send: why === null,
      stop: busy && (summary.observed === undefined || isJoined) && handle.isLive() && summary.status !== 'stopping',
      resume: why === null && !isJoined,
      fork: notForkableReason(summary) === undefined,
    },
    why,
    ...(why === null || summary.recording || summary.shared !== undefined || vscode.workspace.isTrusted
      ? {}
      : { fix: 'manageTrust' as const }),
    notice: withDeletion(noticeOf(handle, reported), summary, daysToDeletion),
    sizes: handle.sizes(),
  };
}

/** The page need not say where an answer came from if it came from this window. */
export function hideOwnWindow(page: PageEntry, windowId: string): PageEntry {
  const { asked } = page;
  if (asked?.decision?.client?.id !== windowId) return page;
  return { ...page, asked: { ...asked, decision: { ...asked.decision, client: undefined } } };
}
