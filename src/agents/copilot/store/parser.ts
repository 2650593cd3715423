import type { EntryUpdate } from '../../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { StoreFacts } from '../../../model/session/observed.ts';
import { nonEmpty } from '../../shared/guards.ts';
import { parse, unknownLine } from '../../shared/normalizer/lineLog.ts';
import { NormalizedRun } from '../../shared/normalizer/normalizedRun.ts';
import type { StoreParser, StoreParserOptions, StoreRecord } from '../../stores/storeFormat.ts';
import { CopilotReader } from '../normalize.ts';
import { copilotEvent } from '../wire.ts';
import { CopilotFacts } from './facts.ts';
import { workspaceFields } from './workspace.ts';

const nothing: readonly EntryUpdate[] = [];
/** Events with model input, and copies of other events. */
const quiet = new Set(['system.message', 'session.usage_record', 'subagent.configured']);

/** Reads the events of one session of Copilot CLI; most have the form of its output. */
export class CopilotStoreParser implements StoreParser {
  readonly #needsEntries: boolean;
  readonly #facts: CopilotFacts;
  readonly #run: NormalizedRun;
  readonly #reader: CopilotReader;
  #timestamp: string;

  constructor({ needsEntries, session }: StoreParserOptions) {
    this.#needsEntries = needsEntries;
    this.#facts = new CopilotFacts(session);
    this.#run = new NormalizedRun({ workDir: '', firstIndex: 0, sessionId: session });
    this.#reader = new CopilotReader(this.#run);
    this.#timestamp = this.#run.clock.arrivalTime(0);
  }

  push(record: StoreRecord): readonly EntryUpdate[] {
    if (record.kind === 'document') this.#facts.workspace(workspaceFields(record.text));
    const { records } = this.#facts;
    if (record.kind === 'oversize') {
      records.total += 1;
      records.malformed += 1;
      if (this.#needsEntries) this.#run.lines.addOversize(record, this.#timestamp);
      return this.#run.writer.take();
    }
    if (record.kind !== 'line' || record.text.trim() === '') return nothing;
    records.total += 1;
    const value = parse(record.text);
    if (isObject(value)) this.#readEvent(value, record.text);
    else {
      records.malformed += 1;
      if (this.#needsEntries) this.#run.lines.addMalformed(record.text, this.#timestamp);
    }
    return this.#run.writer.take();
  }

  end(isLive: boolean): readonly EntryUpdate[] {
    if (!this.#needsEntries || isLive) return nothing;
    this.#reader.beforeEnd({ code: null, signal: null }, this.#timestamp);
    this.#run.texts.end();
    this.#run.calls.end('No result: the agent ended before the tool returned.', this.#timestamp);
    return this.#run.writer.take();
  }

  facts(): StoreFacts {
    this.#facts.records.unknown = this.#run.lines.counts.unknown;
    return this.#facts.facts();
  }

  #readEvent(value: JsonObject, raw: string): void {
    this.#timestamp = this.#run.clock.time(value['timestamp'], 0);
    const event = copilotEvent(value);
    if (event !== undefined) this.#facts.addEvent(event, nonEmpty(value['timestamp']));
    if (!this.#needsEntries || (event !== undefined && isQuiet(event.type))) return;
    const line = { raw, timestamp: this.#timestamp };
    try {
      if (event !== undefined && this.#reader.readMessage(value, line)) return;
      this.#run.lines.addUnknown(unknownLine(value), raw, this.#timestamp);
    } catch (error) {
      this.#run.lines.logFailure(error, { stream: 'stdout', text: raw }, this.#timestamp);
    }
  }
}

/** Only around a compaction, events of model requests exist, with everything that the model was given. */
function isQuiet(type: string): boolean {
  return quiet.has(type) || (type.startsWith('model.') && type !== 'model.call_failure');
}
