import { reachedText } from '../../insight/budgets/text.ts';
import type { BudgetStatus } from '../../model/usage/budget.ts';
import type { FailureAction, FailureCode } from './failureCodes.ts';
import type { RecordBusyError, RecordNotFoundError } from '../record/errors.ts';
import { toEnglish, quote, worded, type Wording } from './wording.ts';

export interface FailureWords {
  /** What happened, in one sentence. */
  readonly message: Wording;
  /** Cause, and what to do next. */
  readonly detail: Wording;
}

interface FailureText extends FailureWords {
  readonly action?: FailureAction;
  /** Paths where the program was searched, in order. */
  readonly tried?: readonly string[];
  /** The exhausted limit. */
  readonly budget?: BudgetStatus;
}

/** A failure for users. `message` and `detail` are in English. Check `code`, not the text. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly code: FailureCode;
  readonly detail: string;
  readonly words: FailureWords;
  readonly action: FailureAction | undefined;
  readonly tried: readonly string[];
  readonly budget: BudgetStatus | undefined;

  constructor(code: FailureCode, text: FailureText, cause?: unknown) {
    super(toEnglish(text.message), cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = toEnglish(text.detail);
    this.words = { message: text.message, detail: text.detail };
    this.action = text.action;
    this.tried = text.tried ?? [];
    this.budget = text.budget;
  }

  static is(error: unknown, code?: FailureCode): error is EngineFailure {
    return error instanceof EngineFailure && (code === undefined || error.code === code);
  }
}

function list(tried: readonly string[]): string {
  return tried.map((place) => `\n  ${place}`).join('');
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

export const failures = {
  programMissing: (label: string, names: readonly string[], tried: readonly string[]) =>
    new EngineFailure('program_missing', {
      message: worded`${label} was not found on this machine.`,
      detail: worded`Searched for ${names.map((name) => `"${name}"`).join(', ')}:${list(tried)}\nInstall it, or set its path in the settings.`,
      action: 'install',
      tried,
    }),

  programNotExecutable: (label: string, path: string, why: string) =>
    new EngineFailure('program_not_executable', {
      message: worded`The program set for ${label} cannot be run: ${path}`,
      detail: worded`${why} Correct the setting, or clear it so that Vitrine searches for the program.`,
      action: 'openSettings',
      tried: [path],
    }),

  agentUnknown: (type: string) =>
    new EngineFailure('agent_unknown', {
      message: worded`This version of Vitrine does not support the executor "${type}".`,
      detail: worded`You can still read its sessions. Choose another agent, or update Vitrine.`,
    }),

  profileUnknown: (label: string, id: string | undefined, known: readonly string[]) =>
    new EngineFailure('profile_unknown', {
      message:
        id === undefined
          ? worded`Specify which ${label} agent to run.`
          : worded`The settings do not include an agent "${id}".`,
      detail: worded`Available: ${known.join(', ')}. To add others, set their command in the settings. You can still read recorded sessions.`,
      action: 'openSettings',
    }),

  blueprintUnknown: (name: string, known: readonly string[]) =>
    new EngineFailure('blueprint_unknown', {
      message: worded`Agent not found: "${name}".`,
      detail:
        known.length === 0
          ? worded`No active agents. Agents are files in .vitrine/agents of the workspace or your home folder.`
          : worded`Available: ${known.join(', ')}.`,
    }),

  blueprintBroken: (name: string, why: string) =>
    new EngineFailure('blueprint_unusable', {
      message: worded`The file for agent "${name}" is not valid.`,
      detail: worded`${why}\nCorrect the file, and start the agent again.`,
    }),

  blueprintInactive: (name: string, file: string) =>
    new EngineFailure('blueprint_unusable', {
      message: worded`The agent "${name}" is inactive.`,
      detail: worded`To start it, set "status" to "active": ${file}`,
    }),

  childRefused: (why: Wording, detail = worded`No agent was started.`) =>
    new EngineFailure('child_refused', { message: why, detail }),

  placeholdersMissing: (name: string, missing: readonly string[]) =>
    new EngineFailure('blueprint_unusable', {
      message: worded`The agent "${name}" was not started. Its MCP servers require ${missing.join(', ')}.`,
      detail: worded`Set the environment variables before you start Vitrine, and enter the inputs when prompted.`,
    }),

  serverUnknown: (id: string | undefined) =>
    new EngineFailure('server_unknown', {
      message:
        id === undefined
          ? worded`No agent servers are configured.`
          : worded`The settings do not include an agent server "${id}".`,
      detail: worded`You can still read its sessions. Add the server and its URL to the settings.`,
      action: 'openSettings',
    }),

  /** `failure`: the problem of the server or the connection, and what to do. */
  serverFailed: (label: string, failure: { readonly words: FailureWords }) =>
    new EngineFailure(
      'server_failed',
      { message: worded`${label}: ${failure.words.message}`, detail: failure.words.detail, action: 'openSettings' },
      failure,
    ),

  notOnServer: (label: string, agent: string | undefined, address: string, found: readonly string[]) =>
    new EngineFailure('server_failed', {
      message: agent === undefined ? worded`${label} has no agents.` : worded`${label} has no agent "${agent}".`,
      detail:
        found.length === 0
          ? worded`Vitrine requested ${address}/agents.\nStart the agent on the server, or correct the settings.`
          : worded`Vitrine requested ${address}/agents. Available: ${found.join(', ')}.\nStart the agent on the server, or correct the settings.`,
      action: 'openSettings',
    }),

  recordingMissing: (folder: string, why: string) =>
    new EngineFailure('recording_missing', {
      message: worded`The demo recording cannot be replayed.`,
      detail: worded`${why} (${folder}) Reinstall Vitrine.`,
      action: 'doctor',
    }),

  outputUnreadable: (file: string, why: string) =>
    new EngineFailure('output_unreadable', {
      message: worded`This file cannot be replayed: ${file}`,
      detail: worded`${why} Select a file with the standard output of an agent.`,
    }),

  directoryMissing: (path: string) =>
    new EngineFailure('directory_missing', {
      message: worded`The working folder does not exist: ${path}`,
      detail: worded`It may have been moved or deleted. Open its current location, and start the agent there.`,
    }),

  spawnFailed: (label: string, path: string, why: string) =>
    new EngineFailure('spawn_failed', {
      message: worded`${label} could not be started.`,
      detail: worded`${path}: ${why}\nRun it once in a terminal. If that works, open Doctor.`,
      action: 'doctor',
      tried: [path],
    }),

  nodeTooOld: (version: string) =>
    new EngineFailure('node_too_old', {
      message: worded`Starting agents needs Node.js 22 or newer; this is ${version}.`,
      detail: worded`You can read sessions. To run agents, start Vitrine with a newer version of Node.js.`,
    }),

  exitedAtOnce: (label: string, path: string, how: string | Wording, stderr: string) =>
    new EngineFailure('exited_at_once', {
      message:
        stderr === ''
          ? worded`${label} exited immediately (${how}) without printing anything.`
          : worded`${label} exited immediately (${how}): ${firstLine(stderr)}`,
      detail:
        stderr === ''
          ? worded`${path} printed nothing.\nRun it once in a terminal. It may need setup or a login.`
          : worded`${path} printed:\n${stderr}\nRun it once in a terminal. It may need setup or a login.`,
      action: 'doctor',
      tried: [path],
    }),

  /** `why`: a sentence from the agent; `undefined` if it gave no reason. */
  agentFailed: (label: string, why: string | undefined) =>
    new EngineFailure('agent_failed', {
      message: why === undefined ? worded`${label} failed without giving a reason.` : worded`${label} failed: ${why}`,
      detail: worded`The transcript shows the agent’s output. You can resume the session.`,
    }),

  listNotOffered: (label: string) =>
    new EngineFailure('list_not_offered', {
      message: worded`${label} does not list its sessions.`,
      detail: worded`Only some Agent Client Protocol agents list their sessions. Vitrine lists the sessions that it recorded.`,
    }),

  listFailed: (label: string, why: string) =>
    new EngineFailure('agent_failed', {
      message: worded`Could not list ${label} sessions: ${why}`,
      detail: worded`Run ${label} once in a terminal. It may need setup or a login.`,
      action: 'doctor',
    }),

  silent: (label: string, seconds: number) =>
    new EngineFailure('silent', {
      message: worded`${label} has printed nothing for ${seconds} seconds.`,
      detail: worded`It may be waiting for a slow model, a login, or a permission it cannot request. Stop it if this takes too long.`,
      action: 'doctor',
    }),

  ignoresSignals: (label: string, pids: readonly number[]) =>
    new EngineFailure('ignores_signals', {
      message:
        pids.length === 1
          ? worded`Could not stop ${label}: process ${pids.join()} is still running.`
          : worded`Could not stop ${label}: processes ${pids.join(', ')} are still running.`,
      detail: worded`These processes could not be terminated. Close what they are waiting for, or restart the computer.`,
    }),

  takesNoMessage: (label: string) =>
    new EngineFailure('takes_no_message', {
      message: worded`${label} does not accept messages now.`,
      detail: worded`The agent accepts no more messages in this run. Send the message when the run ends.`,
    }),

  tooMuchQueued: (label: string) =>
    new EngineFailure('takes_no_message', {
      message: worded`Too many messages are queued for ${label}.`,
      detail: worded`Unsend some messages, or wait until the turn ends.`,
    }),

  /** `cause`: another process is writing the record. */
  sessionBusy: (id: string, cause?: RecordBusyError) =>
    new EngineFailure(
      'session_busy',
      {
        message: worded`Session ${id} is already running.`,
        detail:
          cause === undefined
            ? worded`A session can have only one run at a time. Wait for the current run to finish, or stop it.`
            : cause.holder === null
              ? worded`Another process is writing the record of this session. Wait for it to finish.`
              : worded`Process ${cause.holder.pid} on ${cause.holder.hostname} is writing the record of this session. Wait for it to finish, or stop the session there.`,
      },
      cause,
    ),

  sessionMissing: (id: string, cause?: Error) =>
    new EngineFailure(
      'session_missing',
      {
        message: worded`Session not found: ${id}.`,
        detail: worded`It may have been deleted, or it may be in another store.`,
      },
      cause,
    ),

  notAPrompt: (entry: number) =>
    new EngineFailure('fork_failed', {
      message: worded`Entry ${entry} is not a prompt.`,
      detail: worded`You can fork a session only at a message to the agent.`,
    }),

  /** The session was deleted, or its record was lost while its other files still exist. */
  recordNotFound: (id: string, cause: RecordNotFoundError): EngineFailure =>
    cause.remainingFolder === null
      ? failures.sessionMissing(id, cause)
      : new EngineFailure(
          'record_missing',
          {
            message: worded`The record of ${id} is missing: all entries are lost.`,
            detail: worded`The session’s folder has no record.jsonl. The agent’s output may be in runs/: ${cause.remainingFolder}`,
          },
          cause,
        ),

  conversationUnknown: (label: string, ids: readonly string[]) =>
    new EngineFailure('conversation_unknown', {
      message: worded`${label} no longer has this conversation.`,
      detail: worded`Tried ${ids.join(', ')}. Agents store conversations per user, folder and machine, and delete old ones. You can start a new conversation with a summary of this one.`,
      action: 'startAfresh',
    }),

  /** `why`: what the agent's version lacks; absent if the agent ended too early. */
  conversationUnnamed: (label: string, why: string | undefined) =>
    new EngineFailure('conversation_unknown', {
      message:
        why === undefined
          ? worded`This conversation cannot be resumed: ${label} did not report its ID.`
          : worded`This conversation cannot be resumed: ${why}.`,
      detail: worded`You can start a new conversation with a summary of this one.`,
      action: 'startAfresh',
    }),

  interrupted: () =>
    new EngineFailure('interrupted', {
      message: worded`Interrupted: Vitrine exited while the agent was running.`,
      detail: worded`Everything received was recorded. You can resume the session.`,
    }),

  fileUnwritable: (path: string, why: string) =>
    new EngineFailure('file_unwritable', {
      message: worded`${path} cannot be written.`,
      detail: worded`${why}. Choose another location, or check the folder.`,
    }),

  importUnreadable: (path: string, why: string) =>
    new EngineFailure('import_failed', {
      message: worded`${path} cannot be read.`,
      detail: worded`${why}. Check the path, or choose another file.`,
    }),

  importUnknown: (path: string, agents: readonly string[]) =>
    new EngineFailure('output_unknown', {
      message: worded`Could not determine which agent produced ${path}.`,
      detail: worded`The file is neither a Vitrine record nor a list of messages. Specify the agent: ${agents.join(', ')}.`,
    }),

  importNewer: (path: string, version: number) =>
    new EngineFailure('import_failed', {
      message: worded`${path} was written by a newer version of Vitrine (record version ${version}).`,
      detail: worded`Update Vitrine to import it.`,
    }),

  sessionImported: (id: string) =>
    new EngineFailure('session_imported', {
      message: worded`Session ${id} was imported. You can read it but not resume it.`,
      detail: worded`The agent keeps the conversation on the machine that recorded it. Start a new session instead.`,
    }),

  sessionRemote: (id: string, machine: string | undefined) =>
    new EngineFailure('session_imported', {
      message: worded`Session ${id} is from another machine in the team. You can read it here, but not resume it.`,
      detail: worded`The agent keeps the conversation on ${machine ?? 'that machine'}. Start a new session instead.`,
    }),

  budgetUsedUp: (budget: BudgetStatus) =>
    new EngineFailure('budget_used_up', {
      message: quote(reachedText(budget)),
      detail: worded`No run was started. Raise the limit to resume, or change it in the settings.`,
      action: 'raiseBudget',
      budget,
    }),

  exportFormatUnknown: (format: string, known: readonly string[]) =>
    new EngineFailure('format_unknown', {
      message: worded`Unknown export format: "${format}".`,
      detail: worded`Supported formats: ${known.join(', ')}.`,
    }),

  recordUnwritable: (path: string, why: string) =>
    new EngineFailure('record_unwritable', {
      message: worded`The record of this session cannot be written at the moment.`,
      detail: worded`${path}: ${why}\nVitrine keeps new output in memory until it can write again. Free some disk space, or fix the permissions.`,
      action: 'revealRecord',
    }),

  notSigned: (key: string, why: string) =>
    new EngineFailure('not_signed', {
      message: worded`Could not sign the record of this session.`,
      detail: worded`${key}: ${why}\nThe record is kept, and its hash chain still reveals changes. Change or clear vitrine.audit.signingKey.`,
      action: 'openSettings',
    }),

  internal: (why: string) =>
    new EngineFailure('internal', {
      message: worded`Vitrine could not continue this run: ${why}`,
      detail: worded`Internal error in Vitrine. See the log for details. Everything the agent printed is recorded.`,
      action: 'revealRecord',
    }),

  runCancelled: () =>
    new EngineFailure('run_cancelled', {
      message: worded`The run was cancelled before its agent started.`,
      detail: worded`Nothing ran. Start the run again.`,
    }),

  engineClosed: () =>
    new EngineFailure('engine_closed', {
      message: worded`Vitrine is shutting down.`,
      detail: worded`Vitrine is shutting down. Reload the window to start agents.`,
    }),
} as const;
