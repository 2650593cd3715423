import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AgentOptions } from '../../../src/agents/adapter.ts';
import { adapters } from '../../../src/agents/registry.ts';
import type { SessionHandle } from '../../../src/engine/api.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { randomHex } from '../../../src/engine/ids.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { RunResult } from '../../../src/model/session/result.ts';
import type { ExecutorType } from '../../../src/model/session/session.ts';
import type { ToolUse } from '../../../src/model/transcript/tool.ts';
import { turnsOf } from '../models/conversation.ts';
import { silentLog } from '../silentLog.ts';
import { until } from '../until.ts';
import { type AgentPlace, waitForProcessEnd, processesOf } from './place.ts';

/** Runs of one agent in its place, by an engine of their own. */
export class AgentRuns {
  readonly engine: Engine;
  readonly #place: AgentPlace;
  readonly #type: ExecutorType;
  readonly #profile: string | undefined;
  readonly #handles: SessionHandle[] = [];

  /** `interactive`: the test answers the agent's requests. `copyFiles`: so that they can be restored. */
  constructor(
    type: ExecutorType,
    place: AgentPlace,
    options: { profile?: string; interactive?: boolean; copyFiles?: boolean } = {},
  ) {
    this.#type = type;
    this.#profile = options.profile;
    this.#place = place;
    this.engine = new Engine({
      storeDir: place.store,
      clock: () => Date.now(),
      randomHex,
      environment: place.env,
      settings: () => ({}),
      log: silentLog,
      demoDir: '',
      adapters,
      interactive: options.interactive ?? false,
      copyFiles: options.copyFiles ?? false,
    });
  }

  start(prompt: string, options: AgentOptions = {}): Promise<SessionHandle> {
    const profile = this.#profile === undefined ? {} : { profile: this.#profile };
    const cwd = this.#place.workspace;
    return this.keep(this.engine.start({ agent: this.#type, ...profile, prompt, cwd, options }));
  }

  resume(id: string, prompt: string): Promise<SessionHandle> {
    return this.keep(this.engine.resume(id, { prompt }));
  }

  async keep(opening: Promise<SessionHandle>): Promise<SessionHandle> {
    const handle = await opening;
    this.#handles.push(handle);
    return handle;
  }

  /** All messages sent to the model with the newest prompt of that scenario, one per line. */
  sentPrompt(scenario: string): string {
    const asked = this.#place.model.asked.findLast((request) => request.scenario === scenario);
    assert.ok(asked, `the model was never asked for ${scenario}`);
    return turnsOf(asked.request).join('\n');
  }

  /** Resumes a session whose conversation the agent lost, with a summary. The first script says "Write notes". */
  async startsNewConversation(id: string): Promise<void> {
    const restarted = await this.keep(this.engine.startNewConversation(id, { prompt: 'Go on. [[afresh]]' }));
    assert.equal((await ended(restarted)).success, true);
    assert.match(this.sentPrompt('afresh'), /Write notes/);
  }

  /** Deletes the agent's own files of a session: the next prompt fails. */
  async losesConversation(id: string): Promise<void> {
    const { success, error } = await ended(await this.resume(id, 'Are you there? [[again]]'));
    assert.equal(success, false);
    assert.match(error ?? '', /no longer has this conversation/);
  }

  /** Stops a run during the command of the script "sleep": no process stays. Returns how its calls ended. */
  async stopDuringCommand(handle: SessionHandle, timeout = 60_000): Promise<string[]> {
    const { home, workspace } = this.#place;
    const started = path.join(workspace, 'started.txt');
    await until('the command', async () => existsSync(started) && (await toolsOf(handle)).length > 0, timeout);
    assert.notDeepEqual(processesOf(home), []);
    await this.engine.stop(handle.id);
    await waitForProcessEnd(home);
    assert.equal((await ended(handle)).success, false);
    assert.equal(handle.turns().at(-1)?.status, 'stopped');
    return toolStatuses(handle);
  }

  async dispose(): Promise<void> {
    for (const handle of this.#handles) handle.dispose();
    await this.engine.dispose();
  }
}

export function entriesOf(handle: SessionHandle): Promise<readonly NormalizedEntry[]> {
  return handle.read(0, handle.entryCount());
}

export async function toolsOf(handle: SessionHandle): Promise<ToolUse[]> {
  return (await entriesOf(handle)).flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
}

export async function toolStatuses(handle: SessionHandle): Promise<string[]> {
  return (await toolsOf(handle)).map(({ status }) => status);
}

/** Contents of the entries of one kind, in order; system messages with their subtype. */
export async function contentsOf(handle: SessionHandle, kind: string): Promise<string[]> {
  const entries = await entriesOf(handle);
  return entries.flatMap(({ type, content }) => {
    const name = type.kind === 'system_message' ? `system_message ${type.subtype ?? ''}` : type.kind;
    return name === kind ? [content] : [];
  });
}

export async function ended(handle: SessionHandle): Promise<RunResult> {
  const result = await handle.done;
  assert.ok(result, 'no run');
  return result;
}
