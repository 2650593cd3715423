import type * as acp from '@agentclientprotocol/sdk';
import type { OpenCalls } from '../../agents/acp/tools/openCalls.ts';
import { isAllowed, outcomeOf, permissionOptions, permissionRequest } from '../../agents/acp/tools/permission.ts';
import type { DialogueHost, NewRequest } from '../../agents/dialogue.ts';
import { codeBlock } from '../../agents/shared/describe.ts';
import { nonEmpty } from '../../agents/shared/guards.ts';
import type { ExitInfo } from '../../model/usage/facts.ts';
import { isObject } from '../../model/text/json.ts';
import { commandLine, type Grants } from './grants.ts';
import type { Sdk } from './peer.ts';
import { Refusal } from './refusal.ts';
import type { Terminals, TerminalState } from './terminals.ts';
import type { WorkspaceFiles } from './workspaceFiles.ts';
import { writeRequest } from './writeRequest.ts';

/** Per process. Further refusals are not noted in the transcript. */
const maxNotes = 100;
/** Maximum number of pending permission requests. */
const maxAsked = 64;

export interface ClientDeps {
  readonly host: Pick<DialogueHost, 'ask' | 'record'>;
  readonly runId: string;
  readonly workDir: string;
  readonly calls: OpenCalls;
  readonly grants: Grants;
  readonly files: WorkspaceFiles;
  readonly terminals: Terminals;
  /** Aborted when the turn ends, so that pending requests are cancelled. */
  readonly withdrawn: () => AbortSignal;
}

/** Serves the agent's requests: permissions, workspace files, terminals. */
export class ClientMethods {
  readonly #deps: ClientDeps;
  #requests = 0;
  #pendingRequests = 0;
  #noteCount = 0;
  /** Ended terminals that no tool call has shown yet. */
  readonly #endedTerminals = new Map<string, EndedTerminal>();

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  serve(app: acp.ClientApp, sdk: Sdk): void {
    const { files, terminals } = this.#deps;
    const done = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        if (!Refusal.is(error)) throw new sdk.RequestError(-32603, why);
        // Agents check whether a file exists by reading it, so a missing file needs no note.
        if (error.data === undefined) this.#addNotice(what, why);
        throw new sdk.RequestError(error.code, why, error.data);
      }
    };
    app
      .onRequest(
        'session/request_permission',
        (params: unknown) => params,
        ({ params, signal }) => done('A permission', () => this.#requestPermission(params, signal)),
      )
      .onRequest('fs/read_text_file', ({ params }) =>
        done(`Reading ${params.path}`, async () => ({ content: await files.read(params.path, params) })),
      )
      .onRequest('fs/write_text_file', ({ params, signal }) =>
        done(`Writing ${params.path}`, () => this.#write(params, signal)),
      )
      .onRequest('terminal/create', ({ params, signal }) =>
        done(`Running ${params.command}`, async () => ({ terminalId: await this.#run(params, signal) })),
      )
      .onRequest('terminal/output', ({ params }) =>
        done('A terminal', () => {
          const { output, truncated, exit } = terminals.state(params.terminalId);
          return { output, truncated, ...(exit !== null && { exitStatus: statusOf(exit) }) };
        }),
      )
      .onRequest('terminal/wait_for_exit', ({ params }) =>
        done('A terminal', async () => statusOf(await terminals.waitForExit(params.terminalId))),
      )
      .onRequest('terminal/kill', ({ params }) => done('A terminal', () => terminals.kill(params.terminalId)))
      .onRequest('terminal/release', ({ params }) => done('A terminal', () => terminals.release(params.terminalId)));
  }

  handleTerminalEnd(id: string, command: string, state: TerminalState): void {
    this.#endedTerminals.set(id, { command, state });
    this.showTerminals();
  }

  /** Adds terminal output to the calls that refer to it. With `all`, output without a call goes to the transcript. */
  showTerminals(all = false): void {
    const { calls, host } = this.#deps;
    for (const [id, { command, state }] of this.#endedTerminals) {
      const callId = calls.callOf(id);
      if (callId === undefined && !all) continue;
      this.#endedTerminals.delete(id);
      const { output, truncated, exit } = state;
      const stdout = truncated ? `…${output}` : output;
      if (callId !== undefined) host.record({ type: 'tool_output', callId, stdout, exitCode: exit?.code ?? null });
      else host.record({ type: 'note', subtype: 'terminal', content: terminalNote(command, stdout, exit) });
    }
  }

  async #requestPermission(params: unknown, signal: AbortSignal) {
    const { calls, files, grants, host, workDir } = this.#deps;
    const input = isObject(params) ? params : {};
    const call = isObject(input['toolCall']) ? input['toolCall'] : {};
    const callId = nonEmpty(call['toolCallId']);
    const fields = calls.permissionCall(callId, call);
    const options = permissionOptions(input);
    const request = permissionRequest({ callId, fields, options, workDir });
    // Resolved as the user sees it: a link may point elsewhere by the time of the answer.
    const cwd = await files.folder(request.cwd ?? workDir).catch(() => undefined);
    const decision = await this.#ask(request, signal);
    const { outcome, lost } = outcomeOf(decision, options);
    if (lost !== undefined) host.record({ type: 'note', subtype: 'permission', content: lost });
    if (callId !== undefined) {
      if (isAllowed(outcome, options)) grants.call(callId, fields, cwd);
      // The call may have been granted something earlier.
      else grants.endCall(callId);
    }
    return { outcome };
  }

  async #write({ path, content }: acp.WriteTextFileRequest, signal: AbortSignal): Promise<void> {
    const { calls, files, grants, workDir } = this.#deps;
    if (!grants.mayWrite(path)) {
      const seen = await files.stat(path);
      const callId = calls.findCallChanging((file) => file === path || file === seen.place);
      const request = await writeRequest(files, { file: path, content, version: seen, workDir, callId });
      await this.#requirePermission(`The agent was not allowed to write ${path}.`, request, signal, () =>
        grants.allowAllWrites(),
      );
      // Another program may have written the file while the user was deciding.
      await files.assertUnchanged(path, seen);
    }
    await files.write(path, content);
  }

  async #run(params: acp.CreateTerminalRequest, signal: AbortSignal): Promise<string> {
    const { files, grants, terminals, workDir } = this.#deps;
    const { command, args = [], env = [], outputByteLimit } = params;
    const cwd = await files.folder(params.cwd ?? workDir);
    const words = [command, ...args];
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const toRun = { words, cwd, env: variables };
    if (!grants.mayRun(toRun)) {
      const shown = commandLine(words);
      const names = Object.keys(variables);
      await this.#requirePermission(
        `The agent was not allowed to run ${shown}.`,
        {
          kind: 'permission',
          toolName: 'terminal/create',
          title: `Run ${shown}`,
          ...(names.length > 0 && { description: `With these variables set: ${names.join(', ')}` }),
          reason: 'The agent requested this command without asking for permission.',
          action: { kind: 'command_run', command: shown, cwd },
          input: { command, args, env: variables, cwd },
          cwd,
          session: `this command in this folder${names.length > 0 ? ', with these variables' : ''}: ${shown}`,
        },
        signal,
        () => grants.allowCommand(toRun),
      );
    }
    return terminals.create({ command, args, cwd, env: variables, limit: outputByteLimit });
  }

  /** @throws Refusal with `denied` and the user's reason */
  async #requirePermission(
    denied: string,
    request: Omit<NewRequest, 'id'>,
    signal: AbortSignal,
    allowAlways: () => void,
  ): Promise<void> {
    const { answer } = await this.#ask(request, signal);
    if (answer.kind !== 'allow') {
      const reason = answer.kind === 'deny' ? nonEmpty(answer.reason?.trim()) : undefined;
      throw new Refusal('failed', reason === undefined ? denied : `${denied} ${reason}`);
    }
    if (answer.scope === 'session') allowAlways();
  }

  async #ask(request: Omit<NewRequest, 'id'>, signal: AbortSignal) {
    if (this.#pendingRequests >= maxAsked) throw new Refusal('failed', 'Too many permission requests at once.');
    this.#requests += 1;
    this.#pendingRequests += 1;
    const withdrawn = AbortSignal.any([this.#deps.withdrawn(), signal]);
    try {
      const id = `${this.#deps.runId}.${this.#requests}`;
      return await this.#deps.host.ask({ id, ...request }, whenAborted(withdrawn));
    } finally {
      this.#pendingRequests -= 1;
    }
  }

  #addNotice(what: string, why: string): void {
    this.#noteCount += 1;
    if (this.#noteCount > maxNotes) return;
    const last = this.#noteCount === maxNotes ? ' Further refusals are not reported.' : '';
    this.#deps.host.record({ type: 'note', subtype: 'refused', content: `${what} was refused: ${why}${last}` });
  }
}

interface EndedTerminal {
  readonly command: string;
  readonly state: TerminalState;
}

function terminalNote(command: string, output: string, exit: ExitInfo | null): string {
  const end = exit === null ? 'still running' : (exit.signal ?? `exit code ${exit.code ?? 'unknown'}`);
  return `Vitrine ran a command for the agent (${end}):\n\n${codeBlock(`$ ${command}\n${output}`)}`;
}

function statusOf({ code, signal }: { code: number | null; signal: string | null }) {
  return { exitCode: code, signal };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
