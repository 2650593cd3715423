import { OpenCalls } from '../../agents/acp/tools/openCalls.ts';
import {
  greetingOf,
  initializeParams,
  openingOf,
  unsupportedServers,
  type Greeting,
  type OpenedConversation,
} from '../../agents/acp/opening.ts';
import type { AcpPreset } from '../../agents/acp/presets.ts';
import { chooseMode, chooseModel } from '../../agents/acp/selection.ts';
import type { AgentOptions } from '../../agents/adapter.ts';
import type { Dialogue, DialogueHost } from '../../agents/dialogue.ts';
import { nonEmpty } from '../../agents/shared/guards.ts';
import { isObject, type JsonObject } from '../../model/text/json.ts';
import { ClientMethods } from './clientMethods.ts';
import {
  errorCodeOfAnswer,
  assertProtocolVersion,
  ImpossibleError,
  isLoginError,
  unansweredReason,
} from './errorAnswers.ts';
import { Grants } from './grants.ts';
import { openingMode } from './profiles.ts';
import { AcpPeer } from './peer.ts';
import { Terminals } from './terminals.ts';
import { WorkspaceFiles } from './workspaceFiles.ts';

/** Timeouts in milliseconds: `initialize`, opening a session, and the end of a cancelled turn. */
export interface AcpDeadlines {
  readonly greeting: number;
  readonly opening: number;
  readonly cancel: number;
}

export interface AcpTask {
  readonly prompt: string;
  /** Absolute path. The agent gets no access outside it. */
  readonly cwd: string;
  readonly conversation: OpenedConversation;
  readonly options: Pick<AgentOptions, 'model' | 'permissionMode' | 'mcpServers'>;
  readonly preset: AcpPreset | undefined;
  /** Command as the user would type it. */
  readonly program: string;
  readonly runId: string;
  /** Environment of the agent, for its terminals. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: () => number;
  /** Version of Vitrine. */
  readonly clientVersion: string;
  readonly deadlines?: AcpDeadlines;
}

/** The first start may download something, and opening a session starts the agent's MCP servers. */
const defaultDeadlines: AcpDeadlines = { greeting: 60_000, opening: 120_000, cancel: 30_000 };

/** Client side of one Agent Client Protocol session. */
export class AcpDialogue implements Dialogue {
  readonly cancelsBeforeStop = true;
  readonly #host: DialogueHost;
  readonly #task: AcpTask;
  readonly #deadlines: AcpDeadlines;
  readonly #peer: AcpPeer;
  readonly #calls = new OpenCalls();
  readonly #grants: Grants;
  readonly #terminals: Terminals;
  readonly #methods: ClientMethods;
  #greeting: Greeting | undefined;
  /** Result of the request that opened the session. */
  #openingResult: JsonObject = {};
  #openingMode: string | undefined;
  #sessionId = '';
  #isBusy = true;
  /** Before the first prompt, there is no turn to cancel. */
  #hasSentPrompt = false;
  #isInterrupted = false;
  #hasEnded = false;
  /** Aborted when the turn ends, so that pending requests are cancelled. */
  #turnAbort = new AbortController();
  #cancelTimer: NodeJS.Timeout | undefined;
  /** Messages sent during a turn. */
  readonly #queuedMessages: string[] = [];

  constructor(host: DialogueHost, task: AcpTask) {
    const { env, runId, clock, cwd: workDir } = task;
    this.#host = host;
    this.#task = task;
    this.#deadlines = task.deadlines ?? defaultDeadlines;
    this.#grants = new Grants(workDir);
    this.#terminals = new Terminals({
      env,
      runId,
      clock,
      onEnded: (id, command, state) => this.#methods.handleTerminalEnd(id, command, state),
    });
    this.#methods = new ClientMethods({
      host,
      runId,
      workDir,
      calls: this.#calls,
      grants: this.#grants,
      files: new WorkspaceFiles(workDir),
      terminals: this.#terminals,
      withdrawn: () => this.#turnAbort.signal,
    });
    this.#peer = new AcpPeer({
      write: (line) => host.write(line),
      serve: (app, sdk) => this.#methods.serve(app, sdk),
      onNotification: (method, params) => this.#handleNotification(method, params),
    });
  }

  get endsWithInput(): boolean {
    return (this.#greeting?.preset ?? this.#task.preset)?.quirks.exitsWithStdin ?? true;
  }

  begin(): void {
    void this.#begin();
  }

  handleLine(text: string): void {
    this.#peer.line(text);
  }

  handleOversizeLine(head: string): void {
    this.#peer.answerOversizeLine(head);
  }

  sendMessage(text: string): void {
    if (this.#isBusy) this.#queuedMessages.push(text);
    else void this.#runTurn(text);
  }

  interrupt(): void {
    if (!this.#isBusy || this.#isInterrupted) return;
    this.#isInterrupted = true;
    this.#turnAbort.abort();
    if (this.#hasSentPrompt) this.#cancel();
  }

  setModel(model: string): void {
    void this.#select('model', model).catch((error: unknown) => this.#reportSettingFailure(error));
  }

  setPermissionMode(mode: string): void {
    const changed = mode === 'default' ? this.#leaveMode() : this.#setMode(mode);
    void changed.catch((error: unknown) => this.#reportSettingFailure(error));
  }

  end(): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#cancelTimer);
    this.#turnAbort.abort();
    this.#peer.close();
    const closed = this.#terminals.close();
    this.#methods.showTerminals(true);
    return closed;
  }

  async #begin(): Promise<void> {
    const { options, prompt } = this.#task;
    const { permissionMode: mode, model } = options;
    try {
      await this.#open();
      // If the agent has no mode of this name, it keeps its initial mode.
      if (mode !== undefined && (mode !== 'default' || this.#offersMode(mode))) await this.#setMode(mode);
      if (model !== undefined) await this.#select('model', model);
    } catch (error) {
      this.#fail(error);
      return;
    }
    await this.#runTurn(prompt);
  }

  async #open(): Promise<void> {
    const { conversation, cwd, preset, clientVersion, options } = this.#task;
    const { greeting: greetingMs, opening: openingMs } = this.#deadlines;
    const hello = initializeParams(clientVersion, preset);
    const greeting = greetingOf(await this.#peer.request('initialize', hello, greetingMs), preset);
    this.#greeting = greeting;
    assertProtocolVersion(greeting);
    const { mcpServers = {} } = options;
    const refused = unsupportedServers(greeting, mcpServers);
    if (refused.length > 0) {
      const content = `The agent does not support MCP servers over HTTP, so it runs without ${refused.join(', ')}.`;
      this.#host.record({ type: 'note', subtype: 'option_ignored', content });
    }
    const opening = openingOf(greeting, conversation, cwd, mcpServers);
    const isFork = conversation !== null && 'fork' in conversation;
    if (opening === 'impossible') throw new ImpossibleError(isFork ? noFork : noResume);
    const answer = await this.#peer.request(opening.method, opening.params, openingMs);
    this.#openingResult = isObject(answer) ? answer : {};
    this.#openingMode = openingMode(this.#openingResult);
    const resumed = conversation !== null && 'resume' in conversation ? conversation.resume : undefined;
    const id = nonEmpty(this.#openingResult['sessionId']) ?? resumed;
    if (id === undefined) throw new ImpossibleError('it started a conversation without an ID.');
    this.#sessionId = id;
  }

  async #runTurn(text: string): Promise<void> {
    this.#isBusy = true;
    const params = { sessionId: this.#sessionId, prompt: [{ type: 'text', text }] };
    const answered = this.#peer.request('session/prompt', params);
    this.#hasSentPrompt = true;
    // The user interrupted before there was a turn to cancel.
    if (this.#isInterrupted) this.#cancel();
    try {
      await answered;
    } catch (error) {
      // The transcript has the error. The conversation can continue unless the user is not logged in.
      if (isLoginError(error)) {
        this.#fail(error);
        return;
      }
    }
    if (this.#hasEnded) return;
    clearTimeout(this.#cancelTimer);
    this.#methods.showTerminals(true);
    this.#calls.endTurn();
    this.#grants.endTurn();
    this.#turnAbort.abort();
    this.#turnAbort = new AbortController();
    this.#isBusy = false;
    this.#isInterrupted = false;
    const next = this.#queuedMessages.shift();
    if (next === undefined) this.#host.onTurnEnded();
    else await this.#runTurn(next);
  }

  #cancel(): void {
    clearTimeout(this.#cancelTimer);
    this.#peer.notify('session/cancel', { sessionId: this.#sessionId });
    this.#cancelTimer = setTimeout(() => {
      this.#host.fail('it did not end its turn when asked.');
    }, this.#deadlines.cancel);
  }

  /** `granted`: the mode that determines Vitrine's own permissions from then on. */
  async #setMode(mode: string, sessionMode = mode): Promise<void> {
    await this.#select('mode', mode);
    this.#grants.mode(sessionMode, this.#greeting?.preset);
  }

  /** Returns to the agent's initial mode. */
  async #leaveMode(): Promise<void> {
    // Whatever the agent does, Vitrine asks again before it acts for the agent.
    this.#grants.mode('default', this.#greeting?.preset);
    const mode = this.#offersMode('default') ? 'default' : this.#openingMode;
    if (mode === undefined) throw new ImpossibleError('it does not report its initial permission mode.');
    await this.#setMode(mode, 'default');
  }

  #offersMode(mode: string): boolean {
    return 'request' in chooseMode(this.#openingResult, mode);
  }

  async #select(what: 'mode' | 'model', value: string): Promise<void> {
    const choice = what === 'mode' ? chooseMode(this.#openingResult, value) : chooseModel(this.#openingResult, value);
    if ('request' in choice) {
      const { method, params } = choice.request;
      await this.#peer.request(method, { sessionId: this.#sessionId, ...params }, this.#deadlines.opening);
      return;
    }
    const { offered } = choice;
    const has = offered.length === 0 ? 'It offers no choice.' : `It has: ${offered.join(', ')}.`;
    // In another mode, the agent might do something that the user ruled out.
    if (what === 'mode') throw new ImpossibleError(`it has no permission mode "${value}". ${has}`);
    const content = `The agent has no model "${value}". ${has}`;
    this.#host.record({ type: 'note', subtype: 'option_ignored', content });
  }

  #reportSettingFailure(error: unknown): void {
    if (this.#hasEnded) return;
    const content = `The setting was not changed: ${this.#reasonFor(error)}`;
    this.#host.record({ type: 'note', subtype: 'option_ignored', content });
  }

  #handleNotification(method: string, { update }: JsonObject): void {
    if (method !== 'session/update' || !isObject(update)) return;
    this.#calls.update(update);
    this.#methods.showTerminals();
    const id = nonEmpty(update['toolCallId']);
    if (id !== undefined && this.#calls.get(id) === undefined) this.#grants.endCall(id);
    if (update['sessionUpdate'] === 'config_option_update') this.#openingResult = { ...this.#openingResult, ...update };
  }

  #fail(error: unknown): void {
    if (this.#hasEnded) return;
    // The transcript has the error, and the conversation may exist under another id.
    if (errorCodeOfAnswer(error) === 'unknown_session') this.#host.leave();
    else this.#host.fail(this.#reasonFor(error));
  }

  #reasonFor(error: unknown): string {
    const { preset, program } = this.#task;
    return unansweredReason(error, this.#greeting ?? { preset, logins: [] }, program);
  }
}

const noFork = 'this version does not offer to fork a conversation. Start a new conversation with a summary instead.';
const noResume = 'it cannot resume an earlier conversation. Start a new conversation with a summary instead.';
