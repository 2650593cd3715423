import path from 'node:path';
import type { AcpPreset } from '../../agents/acp/presets.ts';
import { actionOf } from '../../agents/acp/tools/toolAction.ts';
import type { ToolFields } from '../../agents/acp/tools/toolFields.ts';
import { shortMode } from '../../agents/acp/wire.ts';
import { field, texts } from '../../agents/shared/guards.ts';
import { shellWord } from '../../agents/shared/describe.ts';
import type { ToolAction } from '../../model/transcript/tool.ts';

/** By name or in a system folder. Anything elsewhere may have been put there by the agent. */
const shells =
  /^(?:\/(?:usr\/(?:local\/)?|opt\/homebrew\/)?bin\/)?(?:ba|da|z|k|fi)?sh$|^(?:[a-z]:\\windows\\system32\\(?:windowspowershell\\v1\.0\\)?)?(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
const runsText = /^-\w*c$|^\/c$|^-command$/i;
const maxGrants = 1000;

/** A command to run. `env`: variables added to the agent's environment. */
export interface CommandToRun {
  readonly words: readonly string[];
  /** Real path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface AllowedCommand {
  readonly text: string;
  readonly cwd: string;
}

/** Permissions that the user has given the agent, so that Vitrine does not ask twice. */
export class Grants {
  readonly #workDir: string;
  /** By call id: files that it may change, or the command that it may run. */
  readonly #paths = new Map<string, ReadonlySet<string>>();
  readonly #commands = new Map<string, AllowedCommand>();
  readonly #allowedCommandKeys = new Set<string>();
  #hasAllWrites = false;
  /** Permissions that follow from the mode. */
  #grantedByMode = { writes: false, all: false };

  constructor(workDir: string) {
    this.#workDir = workDir;
  }

  /** The user selected a mode in which the agent does not ask. */
  mode(mode: string, preset: AcpPreset | undefined): void {
    const name = shortMode(mode);
    const { writes = [], all = [] } = preset?.modesWithoutAsking ?? {};
    this.#grantedByMode = { writes: writes.includes(name), all: all.includes(name) };
  }

  /**
   * Grants exactly what the permission request of a call showed, whatever the agent reports about the call later.
   * `cwd`: real path of the folder shown with it.
   */
  call(id: string, fields: ToolFields, cwd: string | undefined): void {
    const action = actionOf(fields, { command: undefined, cwd: undefined, output: '', exitCode: undefined });
    const paths = filesWrittenBy(action).map((written) => path.resolve(this.#workDir, written));
    if (paths.length > 0) this.#paths.set(id, new Set(paths));
    if (action.kind === 'command_run' && cwd !== undefined) {
      const words = texts(field(fields.input, 'command') ?? field(fields.input, 'cmd'));
      this.#commands.set(id, { text: words.length > 0 ? commandLine(words) : action.command, cwd });
    }
    for (const map of [this.#paths, this.#commands]) {
      for (const oldest of map.keys()) {
        if (map.size <= maxGrants) break;
        map.delete(oldest);
      }
    }
  }

  endCall(id: string): void {
    this.#paths.delete(id);
    this.#commands.delete(id);
  }

  /** Grants of calls end with the turn, even if the agent did not report the call as ended. */
  endTurn(): void {
    this.#paths.clear();
    this.#commands.clear();
  }

  allowAllWrites(): void {
    this.#hasAllWrites = true;
  }

  /** Grants this command with this folder and these variables only. */
  allowCommand(command: CommandToRun): void {
    if (this.#allowedCommandKeys.size < maxGrants) this.#allowedCommandKeys.add(keyOf(command));
  }

  mayWrite(file: string): boolean {
    if (this.#hasAllWrites || this.#grantedByMode.writes || this.#grantedByMode.all) return true;
    const named = path.resolve(file);
    return [...this.#paths.values()].some((paths) => paths.has(named));
  }

  /** A granted call covers its command once, in its folder, and no variables: the request did not show any. */
  mayRun(command: CommandToRun): boolean {
    if (this.#grantedByMode.all || this.#allowedCommandKeys.has(keyOf(command))) return true;
    if (Object.keys(command.env).length > 0) return false;
    const same = equivalentCommands(command.words);
    for (const [id, allowed] of this.#commands) {
      if (!same.has(allowed.text) || allowed.cwd !== command.cwd) continue;
      this.#commands.delete(id);
      return true;
    }
    return false;
  }
}

/** Files that contain text of the agent after this action. */
function filesWrittenBy(action: ToolAction): string[] {
  if (action.kind === 'file_write') return [action.path];
  if (action.kind !== 'file_edit') return [];
  return action.changes.filter(({ kind }) => kind !== 'delete').map((change) => change.path);
}

function keyOf({ words, cwd, env }: CommandToRun): string {
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([words, variables, cwd]);
}

/** All command lines that are equivalent to these words. */
function equivalentCommands(words: readonly string[]): ReadonlySet<string> {
  const same = new Set([commandLine(words)]);
  // Without spaces and quotes, joining and splitting the words is unambiguous.
  if (words.every((word) => /^[^\s'"\\]+$/.test(word))) same.add(words.join(' '));
  const script = shellText(words);
  if (script !== undefined) same.add(script);
  return same;
}

/** Command line as the user would type it. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The script of `sh -c …`. */
function shellText(words: readonly string[]): string | undefined {
  const [program = '', ...args] = words;
  const [flag = '', text] = args.slice(-2);
  return shells.test(program) && args.length === 2 && runsText.test(flag) ? text : undefined;
}
