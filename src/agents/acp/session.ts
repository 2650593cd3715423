import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { JsonObject } from '../../model/text/json.ts';
import { limitDepth } from '../shared/bounds.ts';
import { code } from '../shared/describe.ts';
import { field, nonEmpty, objects } from '../shared/guards.ts';
import type { NormalizedRun } from '../shared/normalizer/normalizedRun.ts';
import { settingsOf, shortMode } from './wire.ts';

export interface AgentInfo {
  readonly name: string | null;
  readonly title: string | null;
  readonly version: string | null;
}

/** What the agent reports about itself and the conversation, and the one entry that shows it. */
export class AcpSession {
  readonly #run: NormalizedRun;
  #agent: AgentInfo | null = null;
  #protocolVersion: number | null = null;
  #capabilities: unknown = null;
  #mode: string | null = null;
  #title: string | null = null;
  #auth: string | null = null;
  #commands: readonly string[] = [];
  #entry: NormalizedEntry | undefined;
  /** An answer named the model, which is more precise than the selection. */
  #isModelNamed = false;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  get agent(): AgentInfo | null {
    return this.#agent;
  }

  get mode(): string | null {
    return this.#mode === null ? null : shortMode(this.#mode);
  }

  readInitializeResult(result: JsonObject): void {
    const info = result['agentInfo'] ?? result['info'];
    const version = result['protocolVersion'];
    this.#protocolVersion = typeof version === 'number' ? version : null;
    this.#capabilities = limitDepth(result['agentCapabilities'] ?? result['capabilities'] ?? null);
    this.#agent = {
      name: nonEmpty(field(info, 'name')) ?? null,
      title: nonEmpty(field(info, 'title')) ?? null,
      version: nonEmpty(field(info, 'version')) ?? null,
    };
    this.#updateOwnMetadata();
  }

  /** The conversation is open: the answer to `session/new`, `session/load` or `session/resume`. */
  handleOpened(result: JsonObject, timestamp: string): void {
    this.#run.session.setId(result['sessionId']);
    this.#readSettings(result);
    this.#readCommands(result['availableCommands']);
    this.#entry = this.#run.system('init', this.#initText(), timestamp, this.#initMetadata());
  }

  /** Model and mode, from any source. Notes a change of the mode. */
  settings(value: JsonObject, timestamp: string): void {
    const before = this.#mode;
    this.#readSettings(value);
    if (before !== null && this.#mode !== before) this.#addModeNote(timestamp);
  }

  setMode(id: string | undefined, timestamp: string): void {
    if (id === undefined || id === this.#mode) return;
    this.#mode = id;
    this.#updateOwnMetadata();
    if (this.#entry !== undefined) this.#addModeNote(timestamp);
  }

  modelUsed(model: string | undefined): void {
    if (model === undefined) return;
    // The selection may name a variant of it.
    const known = this.#run.session.model;
    if (known !== null && known.startsWith(`${model}[`)) return;
    this.#isModelNamed = true;
    if (model === known) return;
    this.#run.session.setModel(model);
    this.#refresh();
  }

  info(update: JsonObject): void {
    const title = nonEmpty(update['title']);
    if (title === undefined || title === this.#title) return;
    this.#title = title;
    this.#refresh();
  }

  commands(value: unknown): void {
    this.#readCommands(value);
    this.#refresh();
  }

  auth(params: JsonObject): void {
    this.#auth = nonEmpty(field(params['authStatus'], 'label')) ?? null;
    this.#refresh();
  }

  #readSettings(value: JsonObject): void {
    const { model, mode } = settingsOf(value);
    if (!this.#isModelNamed) this.#run.session.setModel(model);
    if (mode !== undefined) this.#mode = mode;
    this.#updateOwnMetadata();
  }

  #readCommands(value: unknown): void {
    const names = objects(value).flatMap((command) => nonEmpty(command['name']) ?? []);
    if (names.length > 0) this.#commands = names;
  }

  #addModeNote(timestamp: string): void {
    this.#run.addSideEntry('mode', `Mode: ${code(this.mode ?? '')}`, timestamp);
  }

  #updateOwnMetadata(): void {
    this.#run.session.setOwn({ mode: this.#mode, agentInfo: this.#agent });
  }

  #refresh(): void {
    if (this.#entry === undefined) return;
    const metadata = { ...this.#entry.metadata, model: this.#run.session.model, ...this.#initMetadata() };
    this.#entry = { ...this.#entry, content: this.#initText(), metadata };
    this.#run.writer.put(this.#entry);
  }

  #initText(): string {
    const { session } = this.#run;
    const agent = this.#agent?.title ?? this.#agent?.name ?? null;
    const version = this.#agent?.version ?? null;
    const facts = [
      ['Session', session.id],
      ['Title', this.#title],
      ['Agent', agent === null || version === null ? agent : `${agent} ${version}`],
      ['Model', session.model],
      ['Mode', this.mode],
    ] as const;
    const known = facts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${code(value)}`]));
    return known.join('\n') || 'The agent started';
  }

  #initMetadata(): JsonObject {
    return {
      title: this.#title,
      protocolVersion: this.#protocolVersion,
      agentCapabilities: this.#capabilities,
      auth: this.#auth,
      slashCommands: this.#commands,
    };
  }
}
