import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import { limitDepth } from '../../shared/bounds.ts';
import { code } from '../../shared/describe.ts';
import { count, nonEmpty } from '../../shared/guards.ts';
import type { NormalizedRun } from '../../shared/normalizer/normalizedRun.ts';
import type { Speaker } from './speaker.ts';
import type { CopilotEvent } from '../wire.ts';

/** Frequent and unimportant: one entry per kind with a count. */
const foldedKinds = new Set([
  'assistant.intent',
  'capabilities.changed',
  'commands.changed',
  'pending_messages.modified',
  'session.background_tasks_changed',
  'session.custom_agents_updated',
  'session.extensions_loaded',
  'session.mcp_servers_loaded',
  'session.skills_loaded',
  'session.title_changed',
  'session.todos_changed',
  'session.tools_updated',
  'session.usage_info',
  'session.usage_record',
]);

/** Each has its own entry. Those never observed are in the CLI's published schema. */
const reported = new Set([
  'auto_mode_switch.completed',
  'auto_mode_switch.requested',
  'command.completed',
  'command.execute',
  'command.queued',
  'elicitation.completed',
  'elicitation.requested',
  'exit_plan_mode.completed',
  'exit_plan_mode.requested',
  'external_tool.completed',
  'external_tool.requested',
  'hook.end',
  'hook.start',
  'mcp.oauth_completed',
  'mcp.oauth_required',
  'permission.completed',
  'permission.requested',
  'sampling.completed',
  'sampling.requested',
  'session.autopilot_stopped',
  'session.compaction_complete',
  'session.compaction_start',
  'session.context_changed',
  'session.custom_notification',
  'session.handoff',
  'session.info',
  'session.mcp_server_status_changed',
  'session.mcp_server_tools_loaded',
  'session.mode_changed',
  'session.mode_notice_delivered',
  'session.model_change',
  'session.plan_changed',
  'session.remote_steerable_changed',
  'session.resume',
  'session.schedule_cancelled',
  'session.schedule_created',
  'session.shutdown',
  'session.snapshot_rewind',
  'session.start',
  'session.task_complete',
  'session.truncation',
  'session.workspace_file_changed',
  'skill.invoked',
  'subagent.completed',
  'subagent.configured',
  'subagent.deselected',
  'subagent.failed',
  'subagent.selected',
  'subagent.started',
  'system.message',
  'system.notification',
  'tool.user_requested',
  'user_input.completed',
  'user_input.requested',
]);

interface Fold {
  readonly entry: NormalizedEntry;
  count: number;
}

/** Lines about the run, outside the conversation. */
export class Notices {
  readonly #run: NormalizedRun;
  readonly #folds = new Map<string, Fold>();
  #failure: NormalizedEntry | undefined;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** `false`: of an unknown kind. */
  readLine({ type, data }: CopilotEvent, speaker: Speaker): boolean {
    if (foldedKinds.has(type)) this.#fold(type, data, speaker);
    else if (reported.has(type)) this.add(type, describe(type, data), data, speaker);
    else return false;
    return true;
  }

  add(subtype: string, content: string, data: JsonObject, { timestamp, metadata }: Speaker): NormalizedEntry {
    return this.#run.writer.add({
      type: { kind: 'system_message', subtype },
      content,
      timestamp,
      metadata: hasKeys(data) ? { ...metadata, data: limitDepth(data) } : metadata,
    });
  }

  /** A request without an answer of the model's server; the next lines say what follows. */
  addCallFailure(data: JsonObject, speaker: Speaker): void {
    const status = count(data['statusCode']);
    const why = failureText(nonEmpty(data['errorMessage']) ?? '');
    const problem = status === undefined ? 'The request to the model failed' : `The model's server returned ${status}`;
    this.#failure = this.add('retry', why === '' ? problem : `${problem}: ${why}`, data, speaker);
  }

  /** `assistant.turn_retry`, or the `session.info` that says the same. */
  retry(reason: string, data: JsonObject, speaker: Speaker): void {
    const failure = this.#failure;
    if (failure === undefined) {
      this.add('retry', `Trying again: ${reason}`, data, speaker);
      return;
    }
    if (failure.metadata?.['retry'] !== undefined) return;
    this.#failure = {
      ...failure,
      content: `${failure.content}\n\nTrying again (${reason}).`,
      metadata: { ...failure.metadata, retry: reason },
    };
    this.#run.writer.put(this.#failure);
  }

  /** There was a result. */
  clearFailure(): void {
    this.#failure = undefined;
  }

  end(): void {
    for (const [type, { entry, count: times }] of this.#folds) {
      const content = times === 1 ? entry.content : `${title(type)} (${times} times)`;
      this.#run.writer.put({ ...entry, content, metadata: { ...entry.metadata, count: times } });
    }
    this.#folds.clear();
  }

  #fold(type: string, data: JsonObject, speaker: Speaker): void {
    const known = this.#folds.get(type);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const entry = this.#run.writer.add({
      type: { kind: 'system_message', subtype: type },
      content: describe(type, data),
      timestamp: speaker.timestamp,
      metadata: hasKeys(data) ? { ...speaker.metadata, data: limitDepth(data) } : speaker.metadata,
      open: true,
    });
    this.#folds.set(type, { entry, count: 1 });
  }
}

function hasKeys(data: JsonObject): boolean {
  return Object.keys(data).length > 0;
}

function title(type: string): string {
  const words = (type.startsWith('session.') ? type.slice('session.'.length) : type)
    .replaceAll(/[._]/g, ' ')
    .replace(/^mcp\b/, 'MCP');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Contain text of the model. */
const summaries = new Set(['session.task_complete', 'session.compaction_complete']);

function describe(type: string, data: JsonObject): string {
  const name = nonEmpty(data['serverName']) ?? nonEmpty(data['agentDisplayName']) ?? nonEmpty(data['agentName']);
  const state =
    nonEmpty(data['status']) ??
    nonEmpty(data['mode']) ??
    nonEmpty(data['reason']) ??
    nonEmpty(data['model']) ??
    nonEmpty(data['newModel']);
  const noticeText = nonEmpty(data['message']) ?? nonEmpty(data['error']) ?? nonEmpty(data['agentDescription']);
  const written = nonEmpty(data['summary']) ?? nonEmpty(data['summaryContent']);
  if (written !== undefined && summaries.has(type)) return `${title(type)}\n\n${written}`;
  if (type === 'session.info' && noticeText !== undefined)
    return `${infoTitle(nonEmpty(data['infoType']))}${noticeText}`;
  const what = [name === undefined ? undefined : code(name), state].filter((part) => part !== undefined).join(' ');
  return [title(type), what, noticeText].filter((part) => part !== undefined && part !== '').join(': ');
}

function infoTitle(infoType: string | undefined): string {
  return infoType === undefined ? '' : `${title(infoType)}: `;
}

/** The API error is an object in a text. */
function failureText(content: string): string {
  try {
    const value: unknown = JSON.parse(content);
    if (isObject(value)) return nonEmpty(value['message']) ?? content;
  } catch {
    // Not all of them do.
  }
  return content;
}
