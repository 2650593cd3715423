import type { JsonObject } from '../../../model/text/json.ts';
import { bytesOf, utf8 } from '../../../model/text/bytes.ts';
import { field, nonEmpty, text } from '../../shared/guards.ts';
import type { TerminalOutput } from './toolAction.ts';
import { truncateShown, exitCode, maxOutput } from './toolFields.ts';

interface Terminal {
  command: string | undefined;
  cwd: string | undefined;
  /** Decodes base64 in pieces; a piece may end within a character. */
  pieces: (readonly number[])[];
  bytes: number;
  output: string | undefined;
  exitCode: number | null | undefined;
}

const maxTerminals = 1000;

/** Terminals that the agent runs and reports (version 2), by id. */
export class Terminals {
  readonly #terminals = new Map<string, Terminal>();

  /** The id of the terminal that changed. */
  update(update: JsonObject): string | undefined {
    const id = nonEmpty(update['terminalId']);
    if (id === undefined) return undefined;
    const terminal = this.#get(id);
    terminal.command = nonEmpty(update['command']) ?? terminal.command;
    terminal.cwd = nonEmpty(update['cwd']) ?? terminal.cwd;
    terminal.exitCode = exitCode(field(update['exitStatus'], 'exitCode')) ?? terminal.exitCode;
    const whole = text(field(update['output'], 'data'));
    if (whole !== undefined) {
      terminal.pieces = [];
      terminal.bytes = 0;
      appendOutput(terminal, whole);
    }
    return id;
  }

  chunk(update: JsonObject): string | undefined {
    const id = nonEmpty(update['terminalId']);
    const data = text(update['data']);
    if (id === undefined || data === undefined) return undefined;
    appendOutput(this.#get(id), data);
    return id;
  }

  /** The combined output of a call's terminals. */
  combinedOutput(ids: readonly string[]): TerminalOutput {
    const all = ids.flatMap((id) => this.#terminals.get(id) ?? []);
    return {
      command: all.find(({ command }) => command !== undefined)?.command,
      cwd: all.find(({ cwd }) => cwd !== undefined)?.cwd,
      output: all.map(outputOf).join(''),
      exitCode: all.find((terminal) => terminal.exitCode !== undefined)?.exitCode,
    };
  }

  #get(id: string): Terminal {
    const known = this.#terminals.get(id);
    if (known !== undefined) return known;
    const terminal = {
      command: undefined,
      cwd: undefined,
      pieces: [],
      bytes: 0,
      output: undefined,
      exitCode: undefined,
    } satisfies Terminal;
    this.#terminals.set(id, terminal);
    for (const oldest of this.#terminals.keys()) {
      if (this.#terminals.size <= maxTerminals) break;
      this.#terminals.delete(oldest);
    }
    return terminal;
  }
}

function appendOutput(terminal: Terminal, data: string): void {
  if (terminal.bytes > maxOutput) return;
  const bytes = bytesOf(data.slice(0, 2 * maxOutput));
  terminal.pieces.push(bytes);
  terminal.bytes += bytes.length;
  terminal.output = undefined;
}

function outputOf(terminal: Terminal): string {
  terminal.output ??= truncateShown(utf8(terminal.pieces.flat()));
  return terminal.output;
}
