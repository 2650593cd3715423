import { reachedText } from '../insight/budgets/text.ts';
import type { Standing } from '../model/budget.ts';
import type { FailureAction, FailureCode } from './failureCodes.ts';
import type { RecordNotFoundError } from './record/errors.ts';
import { english, quote, say, type Wording } from './wording.ts';

export interface FailureWords {
  /** What happened, one sentence. */
  readonly message: Wording;
  /** Why, and what to do next. */
  readonly detail: Wording;
}

interface FailureText extends FailureWords {
  readonly action?: FailureAction;
  /** Where a program was looked for, in order. */
  readonly tried?: readonly string[];
  /** The limit that nothing is left of. */
  readonly budget?: Standing;
}

/** A failure that a person sees; `message` and `detail` are in English. Tell them apart by `code`, never by text. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly code: FailureCode;
  readonly detail: string;
  readonly words: FailureWords;
  readonly action: FailureAction | undefined;
  readonly tried: readonly string[];
  readonly budget: Standing | undefined;

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
  return tried.map((each) => `\n  ${each}`).join('');
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

export const failures = {
  programMissing: (label: string, names: readonly string[], tried: readonly string[]) =>
    new EngineFailure('program_missing', {
      message: say`${label} was not found on this machine.`,
      detail: say`Looked for ${names.map((name) => `"${name}"`).join(', ')}:${list(tried)}\nInstall it, or set its path in the settings.`,
      action: 'install',
      tried,
    }),

  programNotExecutable: (label: string, path: string, why: string) =>
    new EngineFailure('program_not_executable', {
      message: say`The path set for ${label} cannot be run: ${path}`,
      detail: say`${why} Correct the setting, or remove it to have the program looked for.`,
      action: 'openSettings',
      tried: [path],
    }),

  agentUnknown: (type: string) =>
    new EngineFailure('agent_unknown', {
      message: say`There is no executor "${type}" in this version of Vitrine.`,
      detail: say`Its sessions can be read. Choose another agent, or update Vitrine.`,
    }),

  profileUnknown: (label: string, id: string | undefined, known: readonly string[]) =>
    new EngineFailure('profile_unknown', {
      message:
        id === undefined
          ? say`Which agent of the ${label}?`
          : say`There is no agent "${id}" in the settings, or not any more.`,
      detail: say`There are: ${known.join(', ')}. Others are added in the settings, with their command. Recorded sessions can be read.`,
      action: 'openSettings',
    }),

  blueprintUnknown: (name: string, known: readonly string[]) =>
    new EngineFailure('blueprint_unknown', {
      message: say`There is no agent "${name}".`,
      detail:
        known.length === 0
          ? say`Agents are files in .vitrine/agents of the workspace, or of your home folder. There is none that can be started.`
          : say`There are: ${known.join(', ')}.`,
    }),

  blueprintBroken: (name: string, why: string) =>
    new EngineFailure('blueprint_unusable', {
      message: say`The agent "${name}" cannot be started as it is written.`,
      detail: say`${why}\nCorrect the file, and start it again.`,
    }),

  blueprintInactive: (name: string, file: string) =>
    new EngineFailure('blueprint_unusable', {
      message: say`The agent "${name}" is inactive.`,
      detail: say`Set "status" to "active" to start it: ${file}`,
    }),

  childRefused: (why: Wording) =>
    new EngineFailure('child_refused', {
      message: why,
      detail: say`The limits are in the file of the agent that asked.`,
    }),

  placeholdersMissing: (name: string, missing: readonly string[]) =>
    new EngineFailure('blueprint_unusable', {
      message: say`The agent "${name}" was not started: its MCP servers want ${missing.join(', ')}.`,
      detail: say`Set the environment variables that it names where Vitrine is started, and give the inputs when you are asked.`,
    }),

  serverUnknown: (id: string | undefined) =>
    new EngineFailure('server_unknown', {
      message:
        id === undefined
          ? say`No agent server is set up.`
          : say`There is no agent server "${id}" in the settings, or not any more.`,
      detail: say`Its sessions can be read. Add the server to the settings, with its address.`,
      action: 'openSettings',
    }),

  /** `failure` says what a server, or the way to it, got wrong, and what to do. */
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
          ? say`Asked ${address}/agents.\nStart the agent there, or correct the settings.`
          : say`Asked ${address}/agents. It has: ${found.join(', ')}.\nStart the agent there, or correct the settings.`,
      action: 'openSettings',
    }),

  recordingMissing: (folder: string, why: string) =>
    new EngineFailure('recording_missing', {
      message: say`The demo recording cannot be played.`,
      detail: say`${why} (${folder}) Install Vitrine again.`,
      action: 'doctor',
    }),

  outputUnreadable: (file: string, why: string) =>
    new EngineFailure('output_unreadable', {
      message: say`This file cannot be played: ${file}`,
      detail: say`${why} It has to hold what an agent printed to its standard output.`,
    }),

  directoryMissing: (path: string) =>
    new EngineFailure('directory_missing', {
      message: say`The folder to run in does not exist: ${path}`,
      detail: say`It may have been moved or deleted. Open the folder where it is now, and start the agent there.`,
    }),

  spawnFailed: (label: string, path: string, why: string) =>
    new EngineFailure('spawn_failed', {
      message: say`${label} could not be started.`,
      detail: say`${path}: ${why}\nRun it once in a terminal; if that works, look at what Doctor says.`,
      action: 'doctor',
      tried: [path],
    }),

  nodeTooOld: (version: string) =>
    new EngineFailure('node_too_old', {
      message: say`Starting agents needs Node.js 22 or newer; this is ${version}.`,
      detail: say`Reading sessions works. To run agents, start Vitrine with a newer Node.js.`,
    }),

  exitedAtOnce: (label: string, path: string, how: string | Wording, stderr: string) =>
    new EngineFailure('exited_at_once', {
      message:
        stderr === ''
          ? say`${label} ended at once (${how}) without printing anything.`
          : say`${label} ended at once (${how}): ${firstLine(stderr)}`,
      detail:
        stderr === ''
          ? say`${path} printed nothing.\nRun it once in a terminal; it may need to be set up or logged in.`
          : say`${path} said:\n${stderr}\nRun it once in a terminal; it may need to be set up or logged in.`,
      action: 'doctor',
      tried: [path],
    }),

  /** `why` is a sentence of the agent's; without one it gave no reason. */
  agentFailed: (label: string, why: string | undefined) =>
    new EngineFailure('agent_failed', {
      message: why === undefined ? say`${label} failed, and gave no reason.` : say`${label} failed: ${why}`,
      detail: say`The transcript has what it printed. The session can be gone on with.`,
    }),

  listNotOffered: (label: string) =>
    new EngineFailure('list_not_offered', {
      message: say`${label} offers no list of its sessions.`,
      detail: say`Only some agents of the Agent Client Protocol do. Vitrine lists those that it has recorded itself.`,
    }),

  listFailed: (label: string, why: string) =>
    new EngineFailure('agent_failed', {
      message: say`${label} did not list its sessions: ${why}`,
      detail: say`Nothing was changed. Run it once in a terminal; it may need to be set up or logged in.`,
      action: 'doctor',
    }),

  silent: (label: string, seconds: number) =>
    new EngineFailure('silent', {
      message: say`${label} has printed nothing for ${seconds} seconds.`,
      detail: say`It may be waiting for a slow model, a login or a permission it cannot ask for. It goes on; stop it if that is too long.`,
      action: 'doctor',
    }),

  ignoresSignals: (label: string, pids: readonly number[]) =>
    new EngineFailure('ignores_signals', {
      message:
        pids.length === 1
          ? say`${label} could not be ended: process ${pids.join()} still runs.`
          : say`${label} could not be ended: processes ${pids.join(', ')} still run.`,
      detail: say`The system does not let go of these processes. Closing what they wait for, or a restart, ends them.`,
    }),

  takesNoMessage: (label: string) =>
    new EngineFailure('takes_no_message', {
      message: say`${label} takes no message now.`,
      detail: say`It has been told all there is to do in this run. Send the message when the run is over.`,
    }),

  tooMuchQueued: (label: string) =>
    new EngineFailure('takes_no_message', {
      message: say`Too many messages wait for ${label}.`,
      detail: say`Take some back, or wait until the turn is over.`,
    }),

  sessionBusy: (id: string) =>
    new EngineFailure('session_busy', {
      message: say`Session ${id} is already running.`,
      detail: say`A session has one run at a time. Wait for it to end, or stop it.`,
    }),

  sessionElsewhere: (id: string, cause: Error) =>
    new EngineFailure(
      'session_elsewhere',
      { message: say`Session ${id} is in use by another window.`, detail: quote(cause.message) },
      cause,
    ),

  sessionMissing: (id: string, cause?: Error) =>
    new EngineFailure(
      'session_missing',
      { message: say`There is no session ${id}.`, detail: say`It may have been deleted, or kept in another store.` },
      cause,
    ),

  /** Deleted, or lost while other files of the session are still there. */
  recordNotFound: (id: string, cause: RecordNotFoundError): EngineFailure =>
    cause.remains === null
      ? failures.sessionMissing(id, cause)
      : new EngineFailure(
          'record_missing',
          {
            message: say`The record of ${id} is missing: all entries are lost.`,
            detail: say`Its folder has no record.jsonl. What the agent printed may be in runs/: ${cause.remains}`,
          },
          cause,
        ),

  conversationUnknown: (label: string, ids: readonly string[]) =>
    new EngineFailure('conversation_unknown', {
      message: say`${label} does not know this conversation any more.`,
      detail: say`Asked for ${ids.join(', ')}. Agents keep conversations per user, folder and machine, and delete old ones. Start afresh: the new conversation is told what the record knows of this one.`,
      action: 'startAfresh',
    }),

  /** `why`: what the version cannot do; absent where it only did not come to it. */
  conversationUnnamed: (label: string, why: string | undefined) =>
    new EngineFailure('conversation_unknown', {
      message:
        why === undefined
          ? say`This conversation cannot be resumed: ${label} never gave it an id.`
          : say`This conversation cannot be resumed: ${why}.`,
      detail: say`Start afresh: the new conversation is told what the record knows of this one.`,
      action: 'startAfresh',
    }),

  interrupted: () =>
    new EngineFailure('interrupted', {
      message: say`Interrupted: Vitrine ended while the agent was at work.`,
      detail: say`Everything that was received is here. The session can be gone on with.`,
    }),

  fileUnwritable: (path: string, why: string) =>
    new EngineFailure('file_unwritable', {
      message: say`${path} cannot be written.`,
      detail: say`${why}. Choose another place, or check the folder.`,
    }),

  importUnreadable: (path: string, why: string) =>
    new EngineFailure('import_failed', {
      message: say`${path} cannot be read.`,
      detail: say`${why}. Check the path, or choose another file.`,
    }),

  importUnknown: (path: string, agents: readonly string[]) =>
    new EngineFailure('output_unknown', {
      message: say`Nothing in ${path} tells which agent printed it.`,
      detail: say`It is neither a record of Vitrine nor a list of messages. Name the agent: ${agents.join(', ')}.`,
    }),

  importNewer: (path: string, version: number) =>
    new EngineFailure('import_failed', {
      message: say`${path} was written by a newer Vitrine (record version ${version}).`,
      detail: say`Update Vitrine to import it.`,
    }),

  sessionImported: (id: string) =>
    new EngineFailure('session_imported', {
      message: say`Session ${id} was imported: it can be read, and not gone on with.`,
      detail: say`Its agent keeps the conversation where it was recorded. Start a new session instead.`,
    }),

  budgetUsedUp: (budget: Standing) =>
    new EngineFailure('budget_used_up', {
      message: quote(reachedText(budget)),
      detail: say`Nothing was started. Raise the limit to go on, or change it in the settings.`,
      action: 'raiseBudget',
      budget,
    }),

  exportFormatUnknown: (format: string, known: readonly string[]) =>
    new EngineFailure('format_unknown', {
      message: say`There is no export format "${format}".`,
      detail: say`Formats that Vitrine writes: ${known.join(', ')}.`,
    }),

  recordUnwritable: (path: string, why: string) =>
    new EngineFailure('record_unwritable', {
      message: say`The record of this session cannot be written at the moment.`,
      detail: say`${path}: ${why}\nWhat comes is kept in memory and written as soon as that works. Make room on the disk, or permit writing there.`,
      action: 'revealRecord',
    }),

  notSigned: (key: string, why: string) =>
    new EngineFailure('not_signed', {
      message: say`The record of this session was not signed.`,
      detail: say`${key}: ${why}\nThe record is kept, and shows by itself when it is altered. Change vitrine.audit.signingKey, or clear it.`,
      action: 'openSettings',
    }),

  internal: (why: string) =>
    new EngineFailure('internal', {
      message: say`Vitrine could not go on with this run: ${why}`,
      detail: say`This is a mistake in Vitrine; its log has the details. What the agent printed was kept.`,
      action: 'revealRecord',
    }),

  runCancelled: () =>
    new EngineFailure('run_cancelled', {
      message: say`The run was cancelled before its agent started.`,
      detail: say`Nothing was started. Start it again.`,
    }),

  engineClosed: () =>
    new EngineFailure('engine_closed', {
      message: say`Vitrine is closing.`,
      detail: say`No agent is started any more. Open the window again.`,
    }),
} as const;
