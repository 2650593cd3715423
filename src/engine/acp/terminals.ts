import path from 'node:path';
import type { ExitInfo } from '../../model/usage/facts.ts';
import { runVariable } from '../process/agentEnvironment.ts';
import { outputChunks } from '../output/outputChunks.ts';
import { identify } from '../process/identity/identity.ts';
import { setMark } from '../process/limitMark.ts';
import { stopProcessTree, type TreeTarget } from '../process/stopProcessTree.ts';
import { findOnPath } from '../programs/searchPath.ts';
import { spawnAgent } from '../process/spawn.ts';
import { shownCommand } from './grants.ts';
import { OutputTail } from './outputTail.ts';
import { Refusal } from './refusal.ts';

/** At the same time; those that the agent has not released. */
const maxTerminals = 64;
const defaultLimit = 1024 * 1024;
const maxLimit = 8 * 1024 * 1024;
const drainMs = 1000;
const ladder = [{ signal: 'SIGTERM', graceMs: 2000 }] as const;

/** By which all that a terminal started is found. */
const terminalVariable = 'VITRINE_TERMINAL_ID';

export interface TerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Bytes of output that are kept. */
  readonly limit: number | null | undefined;
}

export interface TerminalState {
  readonly output: string;
  readonly truncated: boolean;
  /** `null` while it runs. */
  readonly exit: ExitInfo | null;
}

interface Terminal {
  readonly command: string;
  readonly tail: OutputTail;
  readonly target: TreeTarget;
  /** When it has ended, and all that it printed is there. */
  readonly over: Promise<ExitInfo>;
  exit: ExitInfo | null;
}

export interface TerminalsDeps {
  /** Of the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly runId: string;
  readonly clock: () => number;
  /** Called once per terminal, when its command has ended. */
  readonly ended: (id: string, command: string, state: TerminalState) => void;
}

/** Programs that run for an agent, each in a process group of its own; no shell but one that the agent names itself. */
export class Terminals {
  readonly #deps: TerminalsDeps;
  readonly #terminals = new Map<string, Terminal>();
  #made = 0;
  readonly #starting = new Set<Promise<string>>();
  #closed = false;

  constructor(deps: TerminalsDeps) {
    this.#deps = deps;
  }

  /** @throws Refusal */
  async create(request: TerminalRequest): Promise<string> {
    if (this.#closed) throw new Refusal('failed', 'The agent has ended.');
    if (this.#terminals.size + this.#starting.size >= maxTerminals) {
      throw new Refusal('failed', `Too many terminals: at most ${maxTerminals} are allowed. Release some.`);
    }
    const starting = this.#start(request);
    this.#starting.add(starting);
    return starting.finally(() => this.#starting.delete(starting));
  }

  async #start({ command, args, cwd, env, limit }: TerminalRequest): Promise<string> {
    this.#made += 1;
    const id = `terminal_${this.#made}`;
    const mark = `${this.#deps.runId}.${this.#made}`;
    const variables = { ...this.#deps.env, ...env, [runVariable]: this.#deps.runId, [terminalVariable]: mark };
    // Windows would look for a bare name in the current folder first.
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
    const over = Promise.all([spawned.exit, read()]).then(([{ code, signal }]) => {
      terminal.exit = { code, signal };
      if (!this.#closed) this.#deps.ended(id, terminal.command, stateOf(terminal));
      return terminal.exit;
    });
    const terminal: Terminal = { command: shownCommand([command, ...args]), tail, target, over, exit: null };
    this.#terminals.set(id, terminal);
    // It may have come too late to be ended with the others.
    if (this.#closed) await this.release(id);
    return id;
  }

  /** @throws Refusal */
  state(id: string): TerminalState {
    return stateOf(this.#get(id));
  }

  /** @throws Refusal */
  ended(id: string): Promise<ExitInfo> {
    return this.#get(id).over;
  }

  /** It can still be looked at. @throws Refusal */
  async kill(id: string): Promise<void> {
    const { target, exit } = this.#get(id);
    if (exit === null) await stopProcessTree(target, ladder);
  }

  /** Ends it, and all that it left behind. @throws Refusal */
  async release(id: string): Promise<void> {
    const { target } = this.#get(id);
    this.#terminals.delete(id);
    await stopProcessTree(target, ladder);
  }

  /** Ends all, also what is being started; what runs is told of as it is now. Never fails. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const [id, terminal] of this.#terminals) {
      if (terminal.exit === null) this.#deps.ended(id, terminal.command, stateOf(terminal));
    }
    const released = [...this.#terminals.keys()].map((id) => this.release(id));
    await Promise.allSettled([...this.#starting, ...released]);
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
    ? ' Vitrine starts no shell: give the program as `command`, its arguments as `args`.'
    : '';
  return `${command} could not be started: ${why}${shell}`;
}
