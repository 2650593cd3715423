import type { JsonObject } from '../../../model/text/json.ts';
import type { ToolAction, ToolStatus } from '../../../model/transcript/tool.ts';
import { field, nonEmpty, text, texts } from '../../shared/guards.ts';
import { parse } from '../../shared/normalizer/lineLog.ts';
import { textOfBlocks } from '../../shared/resultText.ts';
import type { NormalizedRun, SourceLine } from '../../shared/normalizer/normalizedRun.ts';
import { shellWord } from '../../shared/describe.ts';

/** Calls that wait for a more detailed record. */
const maxWaiting = 10_000;
/** The whole output of a call whose turn was interrupted. */
const interrupted = /^(?:Wall time: [\d.]+ seconds\n)?aborted by user$/;
const exitCode = /(?:Process exited with code|Exit code:) (-?\d{1,9})/;
const stillRunningText = /Process running with session ID/;

interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly line: SourceLine;
}

/**
 * Calls as the model requests them. Newer versions also store a completed call as an item with more details, which is
 * shown instead.
 */
export class StoredCalls {
  readonly #run: NormalizedRun;
  readonly #pendingCalls = new Map<string, PendingCall>();
  readonly #shownCalls = new Set<string>();
  /** The store has items: a call waits for its own. */
  hasItems = false;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** `function_call`, `custom_tool_call`, `local_shell_call`. */
  addCall(payload: JsonObject, line: SourceLine): void {
    const id = nonEmpty(payload['call_id']) ?? nonEmpty(payload['id']);
    if (id === undefined || this.#pendingCalls.size >= maxWaiting) return;
    const rawInput = payload['arguments'] ?? payload['input'] ?? payload['action'];
    const input = typeof rawInput === 'string' ? (parse(rawInput) ?? rawInput) : rawInput;
    this.#pendingCalls.set(id, { id, name: nonEmpty(payload['name']) ?? 'shell', input, line });
    if (!this.hasItems) this.#show(id);
  }

  /** An item with this id is complete. */
  removeCompleted(id: string | undefined): void {
    if (id !== undefined) this.#pendingCalls.delete(id);
  }

  finishCall(payload: JsonObject, { timestamp }: SourceLine): void {
    const id = nonEmpty(payload['call_id']);
    const call = id === undefined ? undefined : this.#pendingCalls.get(id);
    if (id === undefined || call === undefined) return;
    const { output } = payload;
    const reported = typeof output === 'string' ? output : (textOfBlocks(output) ?? '');
    // Its item follows when the command is done.
    if (this.hasItems && stillRunningText.test(reported)) return;
    this.#show(id);
    this.#pendingCalls.delete(id);
    const code = exitCode.exec(reported)?.[1];
    const failed = code !== undefined && code !== '0';
    const status: ToolStatus = failed ? 'failed' : interrupted.test(reported) ? 'cancelled' : 'success';
    const action = withExit(actionOf(call), code);
    // For file changes, the program prints only the change.
    const shown = action.kind === 'file_edit' && !failed ? '' : outputText(reported);
    this.#run.calls.finish({ id, action, status, result: { text: shown, isError: failed }, timestamp });
  }

  /** Waiting calls are shown as running: no more records follow for now. */
  showWaiting(): void {
    for (const id of this.#pendingCalls.keys()) this.#show(id);
  }

  #show(id: string): void {
    const call = this.#pendingCalls.get(id);
    if (call === undefined || this.#shownCalls.has(id)) return;
    this.#shownCalls.add(id);
    const { calls, session } = this.#run;
    const { name, input, line } = call;
    calls.start({
      id,
      toolName: toolName(name),
      action: actionOf(call),
      input,
      timestamp: line.timestamp,
      metadata: session.metadata(),
    });
  }
}

const commands = new Set(['exec_command', 'shell', 'shell_command', 'local_shell', 'container.exec']);

/** Tool name in the form that the program prints. */
function toolName(name: string): string {
  if (commands.has(name)) return 'command_execution';
  return name === 'apply_patch' ? 'file_change' : name;
}

function actionOf({ name, input }: PendingCall): ToolAction {
  if (commands.has(name)) {
    const command = field(input, 'cmd') ?? field(input, 'command');
    return { kind: 'command_run', command: text(command) ?? texts(command).map(shellWord).join(' ') };
  }
  if (name === 'apply_patch') {
    const patch = text(input) ?? text(field(input, 'input')) ?? '';
    return { kind: 'file_edit', changes: patchedFiles(patch) };
  }
  return { kind: 'tool', input };
}

function withExit(action: ToolAction, code: string | undefined): ToolAction {
  return action.kind === 'command_run' && code !== undefined ? { ...action, exitCode: Number(code) } : action;
}

const patchedFile = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm;
const kinds = { Add: 'add', Update: 'update', Delete: 'delete' } as const;

function patchedFiles(patch: string) {
  return [...patch.matchAll(patchedFile)].flatMap(([, kind, path]) =>
    path !== undefined && (kind === 'Add' || kind === 'Update' || kind === 'Delete')
      ? [{ path, kind: kinds[kind] }]
      : [],
  );
}

/** Output of the command itself, without what Codex adds for the model. */
function outputText(content: string): string {
  const inner = text(field(parse(content), 'output'));
  if (inner !== undefined) return inner;
  return header.test(content) ? content.slice(content.indexOf(headerEnd) + headerEnd.length) : content;
}

const headerEnd = '\nOutput:\n';
const header = /^(?:Chunk ID|Exit code|Wall time):[^]*?\nOutput:\n/;
