import type { EntryUpdate } from '../../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { StoreFacts } from '../../../model/session/observed.ts';
import { field, nonEmpty } from '../../shared/guards.ts';
import { parse } from '../../shared/normalizer/lineLog.ts';
import type { StoreParser, StoreParserOptions, StoreRecord } from '../../stores/storeFormat.ts';
import { ClaudeCodeNormalizer } from '../normalize.ts';
import { ClaudeFacts } from './facts.ts';
import { isBookkeeping, isBulk, isFiller, typedPrompt } from './records.ts';
import { replayedUserMessage, toStdoutForm } from './stdoutForm.ts';
import { Subagents } from './subagents.ts';

const nothing: readonly EntryUpdate[] = [];

/** Reads the records of one session of Claude Code, from 1.0 on. The reader of its output creates the entries. */
export class ClaudeStoreParser implements StoreParser {
  readonly #options: StoreParserOptions;
  readonly #facts: ClaudeFacts;
  readonly #subagents = new Subagents();
  readonly #normalizer = new ClaudeCodeNormalizer({ workDir: '', firstIndex: 0 });
  /** Time of the last record that has one, in epoch milliseconds. */
  #lastTime = 0;

  constructor(options: StoreParserOptions) {
    this.#options = options;
    this.#facts = new ClaudeFacts(options.session, options.notes);
  }

  push(record: StoreRecord): readonly EntryUpdate[] {
    if (record.kind === 'document') this.#readSidecarFile(record.path, record.text);
    if (record.kind === 'oversize') return this.#readOversizeLine({ bytes: record.bytes, head: record.head });
    if (record.kind !== 'line' || record.text.trim() === '') return nothing;
    this.#facts.records.total += 1;
    if (record.isUnended !== true && isBulk(record.text)) return nothing;
    const value = parse(record.text);
    if (!isObject(value)) return this.#readMalformedLine(record.text);
    if (isBulk(record.text)) return nothing;
    const isMain = record.part.role !== 'subagent' && value['isSidechain'] !== true;
    this.#lastTime = timeOf(value) ?? this.#lastTime;
    this.#facts.addRecord(value, isMain);
    if (!this.#options.needsEntries) return nothing;
    const agent = record.part.role === 'subagent' ? record.part.agent : undefined;
    return addRecordMetadata(this.#readEntries(value, record.text, isMain, agent), value);
  }

  end(isLive: boolean): readonly EntryUpdate[] {
    return isLive || !this.#options.needsEntries ? nothing : this.#normalizer.endRecords(this.#lastTime);
  }

  facts(): StoreFacts {
    const { unknown } = this.#normalizer.facts().lines;
    this.#facts.records.unknown = unknown;
    return this.#facts.facts();
  }

  #readEntries(value: JsonObject, raw: string, isMain: boolean, agent: string | undefined): readonly EntryUpdate[] {
    const { session } = this.#options;
    if (isMain) this.#subagents.addRecord(value);
    if (typedPrompt(value) !== undefined) {
      const message =
        value['type'] === 'attachment' ? { content: field(value['attachment'], 'prompt') } : value['message'];
      return this.#normalizer.record(
        replayedUserMessage({ ...value, type: 'user', message }, session),
        raw,
        this.#lastTime,
      );
    }
    if (isBookkeeping(value) || isFiller(value)) return nothing;
    const callId = isMain ? null : this.#subagents.callOf(value, agent ?? nonEmpty(value['agentId']));
    // Requests with which the program warms up its cache.
    if (!isMain && callId === null) return nothing;
    const form = toStdoutForm(value, session, callId);
    // Output of the program's own commands is stored as a text of the user.
    const isText = typeof field(value['message'], 'content') === 'string';
    const isOutput = value['type'] === 'user' && isMain && isText && value['isMeta'] !== true;
    return this.#normalizer.record(isOutput ? { ...form, isReplay: true } : form, raw, this.#lastTime);
  }

  #readMalformedLine(text: string): readonly EntryUpdate[] {
    this.#facts.records.malformed += 1;
    return this.#options.needsEntries ? this.#normalizer.push({ stream: 'stdout', text }, this.#lastTime) : nothing;
  }

  #readOversizeLine(oversize: { readonly bytes: number; readonly head: string }): readonly EntryUpdate[] {
    this.#facts.records.total += 1;
    this.#facts.records.malformed += 1;
    return this.#options.needsEntries ? this.#normalizer.push({ stream: 'stdout', oversize }, this.#lastTime) : nothing;
  }

  /** `agent-<id>.meta.json`: the call that started the agent. */
  #readSidecarFile(path: string, text: string): void {
    const agent = /agent-([^/]+)\.meta\.json$/i.exec(path)?.[1];
    const callId = nonEmpty(field(parse(text), 'toolUseId'));
    if (agent !== undefined && callId !== undefined) this.#subagents.linkAgent(agent, callId);
  }
}

function timeOf(record: JsonObject): number | undefined {
  const at = nonEmpty(record['timestamp']);
  const time = at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(time) ? undefined : time;
}

/** Adds the folder and branch of their record, the decision about a call, and what a prompt follows. */
function addRecordMetadata(updates: readonly EntryUpdate[], record: JsonObject): readonly EntryUpdate[] {
  const cwd = nonEmpty(record['cwd']);
  const gitBranch = nonEmpty(record['gitBranch']);
  const permission = record['permissionDecision'];
  const parentUuid = record['parentUuid'];
  const marks = {
    ...(cwd !== undefined && { cwd }),
    ...(gitBranch !== undefined && { gitBranch }),
    ...(isObject(permission) && { permission }),
  };
  const isPrompt = typedPrompt(record) !== undefined;
  const before = isPrompt && (typeof parentUuid === 'string' || parentUuid === null) ? { parentUuid } : {};
  if (Object.keys(marks).length + Object.keys(before).length === 0) return updates;
  return updates.map((update) => {
    if (update.op !== 'put') return update;
    const { entry } = update;
    const added = entry.type.kind === 'user_message' ? { ...marks, ...before } : marks;
    return { ...update, entry: { ...entry, metadata: { sessionId: null, ...entry.metadata, ...added } } };
  });
}
