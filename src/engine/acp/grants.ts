import path from 'node:path';
import { pathsOf } from '../../agents/acp/openCalls.ts';
import type { AcpPreset } from '../../agents/acp/presets.ts';
import { actionOf } from '../../agents/acp/toolAction.ts';
import type { ToolFields } from '../../agents/acp/toolFields.ts';
import { shortMode } from '../../agents/acp/wire.ts';
import { shellWord } from '../../agents/shared/shellWords.ts';

const shells = /^(?:ba|da|z|k|fi)?sh(?:\.exe)?$|^(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
const runsText = /^-\w*c$|^\/c$|^-command$/i;
const maxGrants = 1000;

/** What a person has allowed the agent, so that Vitrine does not ask for it once more when the agent has it done. */
export class Grants {
  readonly #workDir: string;
  /** By call: files that it may change, or the command that it may run. */
  readonly #paths = new Map<string, ReadonlySet<string>>();
  readonly #commands = new Map<string, string>();
  readonly #always = new Set<string>();
  #allWrites = false;
  /** By the mode alone. */
  #unasked = { writes: false, all: false };

  constructor(workDir: string) {
    this.#workDir = workDir;
  }

  /** A person chose a mode in which the agent does not ask. */
  mode(mode: string, preset: AcpPreset | undefined): void {
    const name = shortMode(mode);
    const { writes = [], all = [] } = preset?.unasked ?? {};
    this.#unasked = { writes: writes.includes(name), all: all.includes(name) };
  }

  /** A call was allowed; `session`: and what is like it. */
  call(id: string, fields: ToolFields, session: boolean): void {
    const paths = pathsOf(fields).map((each) => path.resolve(this.#workDir, each));
    if (paths.length > 0) {
      this.#paths.set(id, new Set(paths));
      if (session) this.#allWrites = true;
    }
    const action = actionOf(fields, { command: undefined, cwd: undefined, output: '', exitCode: undefined });
    if (action.kind === 'command_run') this.#commands.set(id, action.command);
    for (const map of [this.#paths, this.#commands]) {
      for (const oldest of map.keys()) {
        if (map.size <= maxGrants) break;
        map.delete(oldest);
      }
    }
  }

  callOver(id: string): void {
    this.#paths.delete(id);
    this.#commands.delete(id);
  }

  allWrites(): void {
    this.#allWrites = true;
  }

  command(words: readonly string[]): void {
    if (this.#always.size < maxGrants) this.#always.add(shownCommand(words));
  }

  mayWrite(file: string): boolean {
    if (this.#allWrites || this.#unasked.writes || this.#unasked.all) return true;
    const named = path.resolve(file);
    return [...this.#paths.values()].some((paths) => paths.has(named));
  }

  /** A call that was allowed covers its command once. */
  mayRun(words: readonly string[]): boolean {
    if (this.#unasked.all || this.#always.has(shownCommand(words))) return true;
    const same = new Set([shownCommand(words), words.join(' '), shellText(words)]);
    for (const [id, command] of this.#commands) {
      if (!same.has(command)) continue;
      this.#commands.delete(id);
      return true;
    }
    return false;
  }
}

/** As a person would type it. */
export function shownCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** What is run by `sh -c …`. */
function shellText(words: readonly string[]): string | undefined {
  const [program = '', ...args] = words;
  const [flag = '', text] = args.slice(-2);
  return shells.test(path.basename(program)) && args.length === 2 && runsText.test(flag) ? text : undefined;
}
