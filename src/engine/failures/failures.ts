import { reachedText } from '../../insight/budgets/text.ts';
import type { BudgetStatus } from '../../model/usage/budget.ts';
import type { FailureAction, FailureCode } from './failureCodes.ts';
import type { RecordBusyError, RecordNotFoundError } from '../record/errors.ts';
import { english, quote, say, type Wording } from './wording.ts';

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
    super(english(text.message), cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = english(text.detail);
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
      message: say`${label} was not found on this machine.`,
      detail: say`Searched for ${names.map((name) => `"${name}"`).join(', ')}:${list(tried)}\nInstall it, or set its path in the settings.`,
      action: 'install',
      tried,
    }),

  programNotExecutable: (label: string, path: string, why: string) =>
    new EngineFailure('program_not_executable', {
      message: say`The program set for ${label} cannot be run: ${path}`,
      detail: say`${why} Correct the setting, or clear it so that Vitrine searches for the program.`,
      action: 'openSettings',
      tried: [path],
    }),

  agentUnknown: (type: string) =>
    new EngineFailure('agent_unknown', {
      message: say`This version of Vitrine does not support the executor "${type}".`,
      detail: say`You can still read its sessions. Choose another agent, or update Vitrine.`,
    }),

  profileUnknown: (label: string, id: string | undefined, known: readonly string[]) =>
    new EngineFailure('profile_unknown', {
      message:
        id === undefined ? say`Specify an agent of the ${label}.` : say`The settings do not include an agent "${id}".`,
      detail: say`Available: ${known.join(', ')}. To add others, set their command in the settings. You can still read recorded sessions.`,
      action: 'openSettings',
    }),

  blueprintUnknown: (name: string, known: readonly string[]) =>
    new EngineFailure('blueprint_unknown', {
      message: say`Agent not found: "${name}".`,
      detail:
        known.length === 0
          ? say`No active agents. Agents are files in .vitrine/agents of the workspace or your home folder.`
          : say`Available: ${known.join(', ')}.`,
    }),

  blueprintBroken: (name: string, why: string) =>
    new EngineFailure('blueprint_unusable', {
      message: say`The file for agent "${name}" is not valid.`,
      detail: say`${why}\nCorrect the file, and start the agent again.`,
    }),

  blueprintInactive: (name: string, file: string) =>
    new EngineFailure('blueprint_unusable', {
      message: say`The agent "${name}" is inactive.`,
      detail: say`To start it, set "status" to "active": ${file}`,
    }),

  childRefused: (why: Wording) =>
    new EngineFailure('child_refused', {
      message: why,
      detail: say`The file of the parent agent sets these limits.`,
    }),

  placeholdersMissing: (name: string, missing: readonly string[]) =>
    new EngineFailure('blueprint_unusable', {
      message: say`The agent "${name}" was not started. Its MCP servers require ${missing.join(', ')}.`,
      detail: say`Set the environment variables before you start Vitrine, and enter the inputs when prompted.`,
    }),

  serverUnknown: (id: string | undefined) =>
    new EngineFailure('server_unknown', {
      message:
        id === undefined
          ? say`No agent servers are configured.`
          : say`The settings do not include an agent server "${id}".`,
      detail: say`You can still read its sessions. Add the server and its URL to the settings.`,
      action: 'openSettings',
    }),

  /** `failure`: the problem of the server or the connection, and what to do. */
  serverFailed: (label: string, failure: { readonly words: FailureWords }) =>
    new EngineFailure(
      'server_failed',
      { message: say`${label}: ${failure.words.message}`, detail: failure.words.detail, action: 'openSettings' },
      failure,
    ),

  notOnServer: (label: string, agent: string | undefined, address: string, found: readonly string[]) =>
    new EngineFailure('server_failed', {
      message: agent === undefined ? say`${label} has no agents.` : say`${label} has no agent "${agent}".`,
      detail:
        found.length === 0
          ? say`Vitrine requested ${address}/agents.\nStart the agent on the server, or correct the settings.`
          : say`Vitrine requested ${address}/agents. Available: ${found.join(', ')}.\nStart the agent on the server, or correct the settings.`,
      action: 'openSettings',
    }),

  recordingMissing: (folder: string, why: string) =>
    new EngineFailure('recording_missing', {
      message: say`The demo recording cannot be replayed.`,
      detail: say`${why} (${folder}) Reinstall Vitrine.`,
      action: 'doctor',
    }),

  outputUnreadable: (file: string, why: string) =>
    new EngineFailure('output_unreadable', {
      message: say`This file cannot be replayed: ${file}`,
      detail: say`${why} Select a file with the standard output of an agent.`,
    }),

  directoryMissing: (path: string) =>
    new EngineFailure('directory_missing', {
      message: say`The working folder does not exist: ${path}`,
      detail: say`It may have been moved or deleted. Open its current location, and start the agent there.`,
    }),

  spawnFailed: (label: string, path: string, why: string) =>
    new EngineFailure('spawn_failed', {
      message: say`${label} could not be started.`,
      detail: say`${path}: ${why}\nRun it once in a terminal. If that works, run Doctor.`,
      action: 'doctor',
      tried: [path],
    }),

  nodeTooOld: (version: string) =>
    new EngineFailure('node_too_old', {
      message: say`Starting agents needs Node.js 22 or newer; this is ${version}.`,
      detail: say`You can read sessions. To run agents, start Vitrine with a newer version of Node.js.`,
    }),

  exitedAtOnce: (label: string, path: string, how: string | Wording, stderr: string) =>
    new EngineFailure('exited_at_once', {
      message:
        stderr === ''
          ? say`${label} exited immediately (${how}) without printing anything.`
          : say`${label} exited immediately (${how}): ${firstLine(stderr)}`,
      detail:
        stderr === ''
          ? say`${path} printed nothing.\nRun it once in a terminal. It may need setup or a login.`
          : say`${path} printed:\n${stderr}\nRun it once in a terminal. It may need setup or a login.`,
      action: 'doctor',
      tried: [path],
    }),

  /** `why`: a sentence from the agent; `undefined` if it gave no reason. */
  agentFailed: (label: string, why: string | undefined) =>
    new EngineFailure('agent_failed', {
      message: why === undefined ? say`${label} failed without a reason.` : say`${label} failed: ${why}`,
      detail: say`The transcript shows its output. You can resume the session.`,
    }),

  listNotOffered: (label: string) =>
    new EngineFailure('list_not_offered', {
      message: say`${label} does not list its sessions.`,
      detail: say`Only some Agent Client Protocol agents list their sessions. Vitrine lists the sessions it recorded.`,
    }),

  listFailed: (label: string, why: string) =>
    new EngineFailure('agent_failed', {
      message: say`${label} did not list its sessions: ${why}`,
      detail: say`Nothing was changed. Run it once in a terminal. It may need setup or a login.`,
      action: 'doctor',
    }),

  silent: (label: string, seconds: number) =>
    new EngineFailure('silent', {
      message: say`${label} has printed nothing for ${seconds} seconds.`,
      detail: say`It may be waiting for a slow model, a login, or a permission it cannot request. Stop it if this takes too long.`,
      action: 'doctor',
    }),

  ignoresSignals: (label: string, pids: readonly number[]) =>
    new EngineFailure('ignores_signals', {
      message:
        pids.length === 1
          ? say`Could not stop ${label}: process ${pids.join()} is still running.`
          : say`Could not stop ${label}: processes ${pids.join(', ')} are still running.`,
      detail: say`These processes could not be terminated. Close what they are waiting for, or restart the computer.`,
    }),

  takesNoMessage: (label: string) =>
    new EngineFailure('takes_no_message', {
      message: say`${label} does not accept messages now.`,
      detail: say`The agent accepts no more messages in this run. Send the message when the run ends.`,
    }),

  tooMuchQueued: (label: string) =>
    new EngineFailure('takes_no_message', {
      message: say`Too many messages are queued for ${label}.`,
      detail: say`Unsend some messages, or wait until the turn ends.`,
    }),

  /** `cause`: another process is writing the record. */
  sessionBusy: (id: string, cause?: RecordBusyError) =>
    new EngineFailure(
      'session_busy',
      {
        message: say`Session ${id} is already running.`,
        detail:
          cause === undefined
            ? say`A session has one run at a time. Wait for it to finish, or stop it.`
            : cause.holder === null
              ? say`Another process is writing its record. Wait for it to finish.`
              : say`Process ${cause.holder.pid} on ${cause.holder.hostname} is writing its record. Wait for it to finish, or stop the session there.`,
      },
      cause,
    ),

  sessionMissing: (id: string, cause?: Error) =>
    new EngineFailure(
      'session_missing',
      { message: say`Session not found: ${id}.`, detail: say`It may have been deleted or kept in another store.` },
      cause,
    ),

  notAPrompt: (entry: number) =>
    new EngineFailure('fork_failed', {
      message: say`Entry ${entry} is not a prompt.`,
      detail: say`A session can be forked at messages to the agent only.`,
    }),

  /** The session was deleted, or its record was lost while its other files still exist. */
  recordNotFound: (id: string, cause: RecordNotFoundError): EngineFailure =>
    cause.remains === null
      ? failures.sessionMissing(id, cause)
      : new EngineFailure(
          'record_missing',
          {
            message: say`The record of ${id} is missing: all entries are lost.`,
            detail: say`The session’s folder has no record.jsonl. The agent’s output may be in runs/: ${cause.remains}`,
          },
          cause,
        ),

  conversationUnknown: (label: string, ids: readonly string[]) =>
    new EngineFailure('conversation_unknown', {
      message: say`${label} no longer has this conversation.`,
      detail: say`Tried ${ids.join(', ')}. Agents store conversations per user, folder and machine, and delete old ones. You can start a new conversation with a summary of this one.`,
      action: 'startAfresh',
    }),

  /** `why`: what the agent's version lacks; absent if the agent ended too early. */
  conversationUnnamed: (label: string, why: string | undefined) =>
    new EngineFailure('conversation_unknown', {
      message:
        why === undefined
          ? say`This conversation cannot be resumed: ${label} did not report its ID.`
          : say`This conversation cannot be resumed: ${why}.`,
      detail: say`You can start a new conversation with a summary of this one.`,
      action: 'startAfresh',
    }),

  interrupted: () =>
    new EngineFailure('interrupted', {
      message: say`Interrupted: Vitrine exited while the agent was running.`,
      detail: say`Everything received was recorded. You can resume the session.`,
    }),

  fileUnwritable: (path: string, why: string) =>
    new EngineFailure('file_unwritable', {
      message: say`${path} cannot be written.`,
      detail: say`${why}. Choose another location, or check the folder.`,
    }),

  importUnreadable: (path: string, why: string) =>
    new EngineFailure('import_failed', {
      message: say`${path} cannot be read.`,
      detail: say`${why}. Check the path, or choose another file.`,
    }),

  importUnknown: (path: string, agents: readonly string[]) =>
    new EngineFailure('output_unknown', {
      message: say`Could not determine which agent printed ${path}.`,
      detail: say`The file is neither a Vitrine record nor a list of messages. Specify the agent: ${agents.join(', ')}.`,
    }),

  importNewer: (path: string, version: number) =>
    new EngineFailure('import_failed', {
      message: say`${path} was written by a newer Vitrine (record version ${version}).`,
      detail: say`Update Vitrine to import it.`,
    }),

  sessionImported: (id: string) =>
    new EngineFailure('session_imported', {
      message: say`Session ${id} was imported. You can read it but not resume it.`,
      detail: say`Its agent keeps the conversation on the machine that recorded it. Start a new session instead.`,
    }),

  sessionRemote: (id: string, machine: string | undefined) =>
    new EngineFailure('session_imported', {
      message: say`Session ${id} belongs to another machine of the team. You can read it but not resume it here.`,
      detail: say`Its agent keeps the conversation on ${machine ?? 'that machine'}. Start a new session instead.`,
    }),

  budgetUsedUp: (budget: BudgetStatus) =>
    new EngineFailure('budget_used_up', {
      message: quote(reachedText(budget)),
      detail: say`No run was started. Raise the limit to resume, or change it in the settings.`,
      action: 'raiseBudget',
      budget,
    }),

  exportFormatUnknown: (format: string, known: readonly string[]) =>
    new EngineFailure('format_unknown', {
      message: say`Unknown export format: "${format}".`,
      detail: say`Supported formats: ${known.join(', ')}.`,
    }),

  recordUnwritable: (path: string, why: string) =>
    new EngineFailure('record_unwritable', {
      message: say`The record of this session cannot be written at the moment.`,
      detail: say`${path}: ${why}\nVitrine keeps new output in memory and writes it when the disk allows. Free some disk space, or allow writing there.`,
      action: 'revealRecord',
    }),

  notSigned: (key: string, why: string) =>
    new EngineFailure('not_signed', {
      message: say`Could not sign the record of this session.`,
      detail: say`${key}: ${why}\nThe record is kept, and its hash chain still reveals changes. Change or clear vitrine.audit.signingKey.`,
      action: 'openSettings',
    }),

  internal: (why: string) =>
    new EngineFailure('internal', {
      message: say`Vitrine could not continue this run: ${why}`,
      detail: say`Internal error in Vitrine. See the log for details. Everything the agent printed is recorded.`,
      action: 'revealRecord',
    }),

  runCancelled: () =>
    new EngineFailure('run_cancelled', {
      message: say`The run was cancelled before its agent started.`,
      detail: say`Nothing ran. Start the run again.`,
    }),

  engineClosed: () =>
    new EngineFailure('engine_closed', {
      message: say`Vitrine is shutting down.`,
      detail: say`Vitrine is shutting down. Reload the window to start agents.`,
    }),
} as const;
