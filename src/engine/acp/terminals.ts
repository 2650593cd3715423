import path from 'node:path';
import type { ExitInfo } from '../../model/usage/facts.ts';
import { runVariable } from '../process/agentEnvironment.ts';
import { outputChunks } from '../output/outputChunks.ts';
import { identify } from '../process/identity/identity.ts';
import { setMark } from '../process/limitMark.ts';
import { stopProcessTree, type TreeTarget } from '../process/stopProcessTree.ts';
import { findOnPath } from '../programs/searchPath.ts';
import { spawnAgent } from '../process/spawn.ts';
import { commandLine } from './grants.ts';
import { OutputTail } from './outputTail.ts';
import { Refusal } from './refusal.ts';

/** Maximum number of terminals that the agent has not released. */
const maxTerminals = 64;
const defaultLimit = 1024 * 1024;
const maxLimit = 8 * 1024 * 1024;
const drainMs = 1000;
const ladder = [{ signal: 'SIGTERM', graceMs: 2000 }] as const;

/** Environment variable that marks all processes of a terminal. */
const terminalVariable = 'VITRINE_TERMINAL_ID';

export interface TerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Maximum bytes of output to keep. */
  readonly limit: number | null | undefined;
}

export interface TerminalState {
  readonly output: string;
  readonly truncated: boolean;
  /** `null` while it is running. */
  readonly exit: ExitInfo | null;
}

interface Terminal {
  readonly command: string;
  readonly tail: OutputTail;
  readonly target: TreeTarget;
  /** Resolves after exit, when all output has been read. */
  readonly exited: Promise<ExitInfo>;
  exit: ExitInfo | null;
}

export interface TerminalsDeps {
  /** Environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly runId: string;
  readonly clock: () => number;
  /** Called once per terminal, after its command has exited. */
  readonly onEnded: (id: string, command: string, state: TerminalState) => void;
}

/** Programs that Vitrine runs for an agent, each in its own process group, without a shell unless requested. */
export class Terminals {
  readonly #deps: TerminalsDeps;
  readonly #terminals = new Map<string, Terminal>();
  #terminalCount = 0;
  readonly #startingTerminals = new Set<Promise<string>>();
  #isClosed = false;

  constructor(deps: TerminalsDeps) {
    this.#deps = deps;
  }

  /** @throws Refusal */
  async create(request: TerminalRequest): Promise<string> {
    if (this.#isClosed) throw new Refusal('failed', 'The agent has ended.');
    if (this.#terminals.size + this.#startingTerminals.size >= maxTerminals) {
      throw new Refusal('failed', `Too many terminals: at most ${maxTerminals} are allowed. Release some.`);
    }
    const starting = this.#start(request);
    this.#startingTerminals.add(starting);
    return starting.finally(() => this.#startingTerminals.delete(starting));
  }

  async #start({ command, args, cwd, env, limit }: TerminalRequest): Promise<string> {
    this.#terminalCount += 1;
    const id = `terminal_${this.#terminalCount}`;
    const mark = `${this.#deps.runId}.${this.#terminalCount}`;
    const variables = { ...this.#deps.env, ...env, [runVariable]: this.#deps.runId, [terminalVariable]: mark };
    // Windows would search for a bare name in the current folder first.
    const bare = process.platform === 'win32' && path.win32.basename(command) === command;
    const file = bare ? ((await findOnPath(command, variables)) ?? '') : command;
    if (file === '') throw new Refusal('failed', notStarted(command, 'it is not on the PATH.'));
    const spawned = await spawnAgent({ path: file, args, cwd, env: variables, stdin: '' });
    const { pid } = spawned;
    if (pid === undefined) {
      const { problem } = await spawned.exit;
      throw new Refusal('failed', notStarted(command, problem?.message ?? 'it did not start.'));
    }
    const marker = `${terminalVariable}=${mark}`;
    let exited = false;
    void spawned.exit.then(() => (exited = true));
    const [root] = await Promise.all([identify(pid), setMark(pid, marker)]);
    const target: TreeTarget = { root, marker, hasExited: () => exited };
    const tail = new OutputTail(Math.min(limit ?? defaultLimit, maxLimit));
    const read = async (): Promise<void> => {
      for await (const { data } of outputChunks(spawned, spawned.exit, { clock: this.#deps.clock, drainMs })) {
        tail.push(data);
      }
    };
    const finished = Promise.all([spawned.exit, read()]).then(([{ code, signal }]) => {
      terminal.exit = { code, signal };
      if (!this.#isClosed) this.#deps.onEnded(id, terminal.command, stateOf(terminal));
      return terminal.exit;
    });
    const terminal: Terminal = { command: commandLine([command, ...args]), tail, target, exited: finished, exit: null };
    this.#terminals.set(id, terminal);
    // `close` may have run before this terminal was registered.
    if (this.#isClosed) await this.release(id);
    return id;
  }

  /** @throws Refusal */
  state(id: string): TerminalState {
    return stateOf(this.#get(id));
  }

  /** @throws Refusal */
  waitForExit(id: string): Promise<ExitInfo> {
    return this.#get(id).exited;
  }

  /** The terminal stays readable. @throws Refusal */
  async kill(id: string): Promise<void> {
    const { target, exit } = this.#get(id);
    if (exit === null) await stopProcessTree(target, ladder);
  }

  /** Ends the command with its process tree. @throws Refusal */
  async release(id: string): Promise<void> {
    const { target } = this.#get(id);
    this.#terminals.delete(id);
    await stopProcessTree(target, ladder);
  }

  /** Ends all terminals, including those still starting, and reports the output so far. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [id, terminal] of this.#terminals) {
      if (terminal.exit === null) this.#deps.onEnded(id, terminal.command, stateOf(terminal));
    }
    const released = [...this.#terminals.keys()].map((id) => this.release(id));
    await Promise.allSettled([...this.#startingTerminals, ...released]);
  }

  #get(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) throw new Refusal('missing', `Terminal not found: ${id}.`, id);
    return terminal;
  }
}

function stateOf({ tail, exit }: Terminal): TerminalState {
  return { output: tail.text(), truncated: tail.truncated, exit };
}

function notStarted(command: string, why: string): string {
  const shell = /\s/.test(command)
    ? ' Vitrine does not start a shell: pass the program as `command` and its arguments as `args`.'
    : '';
  return `${command} could not be started: ${why}${shell}`;
}
