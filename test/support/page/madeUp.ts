/** A fictitious session with every kind of entry. Nothing in it comes from a real agent. */
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import type { ToolUse } from '../../../src/model/transcript/tool.ts';
import type { SessionView } from '../../../src/protocol/panel/messages.ts';
import type { Turn } from '../../../src/model/session/turn.ts';

const start = Date.parse('2026-01-02T10:11:21Z');
export const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();
export const projectDir = '/made-up/relay';

export function summary(overrides: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: 'ses_5132b9fe0a1c',
    status: 'finished',
    created_at: at(0),
    project_dir: projectDir,
    execution_mode: 'sync',
    executor_session_id: '5132b9fe-6a0b-4c11-8f0a-000000000000',
    executor_session_ids: ['5132b9fe-6a0b-4c11-8f0a-000000000000'],
    executor_type: 'claude-code',
    title: 'Fix flaky retry test (made up)',
    agent_label: 'Claude Code',
    agent_version: '2.1.328',
    model: 'claude-opus-5-5',
    permission_mode: 'default',
    prompt: 'fails about one run in five on CI. Find out why and fix it.',
    outcome: 'completed',
    runs: 2,
    entries: 0,
    turns: 12,
    cost: { provenance: 'reported', usd: 0.3104275 },
    total_cost: { provenance: 'reported', usd: 1.8712345 },
    usage: { input: 1200, output: 840 },
    total_usage: { input: 164_210, output: 9_120, cacheRead: 1_204_000, cacheWrite: 88_000 },
    duration: 96_000,
    api_duration: 71_000,
    context_window: null,
    updated_at: at(400),
    recording: false,
    ...overrides,
  };
}

export function view(overrides: Partial<SessionView> = {}, about: Partial<SessionSummary> = {}): SessionView {
  return {
    summary: summary(about),
    turns: [],
    conversation: null,
    can: { send: true, stop: false, resume: true },
    why: null,
    notice: null,
    sizes: { rawBytes: 120_000, unknownLines: 1, malformedLines: 1 },
    ...overrides,
  };
}

type NewEntry = Omit<NormalizedEntry, 'index' | 'timestamp'> & { readonly seconds?: number };

export class Script {
  readonly entries: NormalizedEntry[] = [];
  readonly turns: Turn[] = [];
  #seconds = 0;

  add({ seconds = 1, ...entry }: NewEntry): number {
    this.#seconds += seconds;
    const index = this.entries.length;
    this.entries.push({ index, timestamp: at(this.#seconds), ...entry });
    return index;
  }

  turn(prompt: string, overrides: Partial<Turn> = {}, origin: NormalizedEntry['origin'] = 'human'): void {
    this.turns.push({
      runId: `run_${String(this.turns.length).padStart(12, '0')}`,
      firstIndex: this.entries.length,
      status: 'completed',
      startedAt: at(this.#seconds),
      durationMs: 178_000,
      steps: 10,
      usd: 0.94,
      costProvenance: 'reported',
      ...overrides,
    });
    this.add({ type: { kind: 'user_message' }, content: prompt, origin });
  }

  addMessage(content: string): number {
    return this.add({ type: { kind: 'assistant_message' }, content });
  }

  think(reasoning: string): number {
    return this.add({ type: { kind: 'thinking', reasoning }, content: reasoning });
  }

  system(subtype: string, content: string, metadata?: NormalizedEntry['metadata']): number {
    return this.add({
      type: { kind: 'system_message', subtype },
      content,
      ...(metadata !== undefined && { metadata }),
    });
  }

  tool(toolName: string, action: ToolUse['action'], seconds = 0.4, overrides: Partial<ToolUse> = {}): number {
    const index = this.entries.length;
    const startedAt = at(this.#seconds);
    const tool: ToolUse = {
      toolName,
      callId: `call_${index}`,
      action,
      status: 'success',
      startedAt,
      endedAt: at(this.#seconds + seconds),
      ...overrides,
    };
    return this.add({ seconds: Math.max(seconds, 0.1), type: { kind: 'tool_use', tool }, content: toolName });
  }
}

const patch = [
  '@@ -29,8 +29,13 @@',
  ' const MAX_DELAY = 8_000;',
  ' ',
  '+/** Returns a number in [0, 1). Tests pass a constant. */',
  '+export type RandomSource = () => number;',
  '+',
  ' /** Full jitter: anywhere between 0 and the exponential ceiling. */',
  '-export function nextDelay(attempt: number): number {',
  '+export function nextDelay(',
  '+  attempt: number,',
  '+  random: RandomSource = Math.random,',
  '+): number {',
  '   const ceiling = Math.min(MAX_DELAY, BASE_DELAY * 2 ** attempt);',
  '-  return Math.floor(Math.random() * ceiling);',
  '+  return Math.floor(random() * ceiling);',
  ' }',
  '@@ -61,3 +66,3 @@',
  ' export async function retry<T>(task: Task<T>): Promise<T> {',
  '-  await sleep(nextDelay(attempt), options.signal);',
  '+  await sleep(nextDelay(attempt, random), options.signal);',
].join('\n');

const answer = `**Cause.** \`nextDelay\` uses full jitter, so the first delay is anywhere between 0 and 250 ms. The test advances the fake clock by exactly 200 ms and then asserts.

Fake timers do not help: they replace timers and \`Date\`, not \`Math.random\`. See [the documentation](https://vitest.dev/api/vi.html), [retry.ts](src/upload/retry.ts:31) and [a trap](command:workbench.action.quit).

1. Make the random source injectable
2. Pin it in the test
   - with a constant
   - [x] done

| file | runs | failed |
| --- | --- | ---: |
| upload.spec.ts | 20 | 4 |
| queue.spec.ts | 20 | 0 |

\`\`\`ts
const client = createClient({ random: () => 0.5 });
await vi.advanceTimersByTimeAsync(125); // 250 ms × 0.5
\`\`\`

![chart](https://example.com/leak.png) <b>raw html</b>`;

/** Two turns with every kind of row. */
export function createFullScript(): Script {
  const s = new Script();
  s.turn(
    '`resumes after a dropped chunk` in test/upload.spec.ts fails about one run in five on CI. Find out why and fix it. Don’t just raise the timeout.',
  );
  s.system('init', 'Session started with 14 tools', { sessionId: '5132b9fe', tools: ['Bash', 'Edit', 'Read'] });
  s.system('hook_started', 'Hook `SessionStart` started');
  s.system('status', 'requesting');
  s.think(
    'The failure is intermittent, so something in the test depends on time, order or chance.\n\nLook at the timers first.',
  );
  const read = (path: string, lines: number) => ({
    kind: 'file_read' as const,
    path,
    startLine: 1,
    endLine: lines,
    totalLines: lines,
  });
  const together = { startedAt: at(5), endedAt: at(6) };
  s.tool('Read', read(`${projectDir}/test/upload.spec.ts`, 142), 0.2, {
    ...together,
    result: { text: "import { vi } from 'vitest';\n// 142 lines" },
  });
  s.tool('Read', read(`${projectDir}/src/upload/retry.ts`, 88), 0.2, {
    ...together,
    result: { text: 'export function nextDelay() {}' },
  });
  s.tool('Grep', { kind: 'search', query: 'useFakeTimers|Math\\.random', path: `${projectDir}/src`, matches: 4 }, 0.4, {
    ...together,
    result: { text: 'src/upload/retry.ts:34: Math.random()' },
  });
  s.addMessage(
    'The test drives retries with fake timers, but the delay is random. I’ll measure the failure rate first, and have a sub-agent check whether CI shows the same thing.',
  );
  s.tool(
    'Bash',
    {
      kind: 'command_run',
      command:
        'for i in $(seq 20); do npx vitest run test/upload.spec.ts -t "dropped chunk" >/dev/null || echo fail; done | grep -c fail',
      description: 'Count failures',
      exitCode: 0,
      stdout: '\u001b[31m4\u001b[0m\n',
      stderr: '',
    },
    41.3,
    { result: { text: '4' } },
  );
  const task = s.tool(
    'Task',
    {
      kind: 'task',
      description: 'Check CI history of upload.spec.ts',
      agentType: 'Explore',
      prompt: 'Look at the last 30 runs.',
    },
    52.1,
    { result: { text: '6 of the last 30 runs failed, on three runner sizes, always at the same assertion.' } },
  );
  const child = { parentCallId: `call_${task}` };
  s.tool(
    'Bash',
    { kind: 'command_run', command: 'gh run list --workflow ci.yml --limit 30', exitCode: 0, stdout: 'ok' },
    2.1,
    child,
  );
  s.tool(
    'Bash',
    {
      kind: 'command_run',
      command: 'gh run view 8841207733 --log-failed | grep -A2 "dropped chunk"',
      exitCode: 0,
      stdout: 'ok',
    },
    3.4,
    child,
  );
  s.tool('Read', read(`${projectDir}/.github/workflows/ci.yml`, 61), 0.1, child);
  s.tool('Bash', { kind: 'command_run', command: 'gh run rerun 8841207733 --failed' }, 0, {
    ...child,
    status: 'denied',
    result: { text: 'Denied by a rule. The command did not run.', isError: true },
  });
  s.tool(
    'WebSearch',
    {
      kind: 'web_search',
      query: 'vitest fake timers Math.random not mocked',
      results: [{ url: 'https://vitest.dev/api/vi.html', title: 'vi.useFakeTimers | Vitest' }],
    },
    1.9,
  );
  s.tool('WebFetch', { kind: 'web_fetch', url: 'https://vitest.dev/api/vi.html', status: 200 }, 1.2, {
    result: { text: 'Fake timers…' },
  });
  s.addMessage(answer);
  s.tool(
    'Edit',
    {
      kind: 'file_edit',
      changes: [{ path: `${projectDir}/src/upload/retry.ts`, kind: 'update', patch, added: 8, removed: 3 }],
    },
    0.1,
  );
  s.tool(
    'TodoWrite',
    {
      kind: 'todo',
      todos: [
        { text: 'Inject the random source', status: 'completed' },
        { text: 'Run the tests', status: 'in_progress' },
      ],
    },
    0.1,
  );
  s.tool(
    'mcp__issues__create',
    { kind: 'mcp', server: 'issues', tool: 'create', input: { title: 'Flaky test' } },
    0.8,
    { result: { data: { id: 7 } } },
  );
  s.turn(
    'The check `npm test` failed after your last change (exit 1). Fix what broke, then run it again.',
    { status: 'interrupted', steps: 5, usd: 0.62, durationMs: 101_000 },
    'follow_up',
  );
  s.tool(
    'Bash',
    { kind: 'command_run', command: 'npm test', exitCode: 1, stdout: ' RUN  v3.2.4\n FAIL  test/queue.spec.ts' },
    22.6,
    { status: 'failed', result: { text: 'exit 1', isError: true } },
  );
  s.system('compact_boundary', 'Conversation compacted · auto · 164000 → 31000 tokens');
  s.system('api_retry', 'Retry 3 of 10 · in 4.0 s · 429 · rate_limit');
  s.add({
    type: { kind: 'error', error: { message: 'API rate limit: resets at 10:40.', code: 'rate_limit' } },
    content: 'API rate limit',
  });
  s.system('unknown', 'Unknown line `shiny_new_thing`', { raw: '{"type":"shiny_new_thing","payload":42}' });
  s.add({
    type: { kind: 'error', error: { message: 'Line 12 is not JSON.', code: 'malformed_line' } },
    content: 'Line 12 is not JSON.',
    metadata: { raw: '{"type":"assist' },
  });
  s.tool('Bash', { kind: 'command_run', command: 'echo safe \u202e; rm -rf / #\u202c' }, 0.2, { status: 'cancelled' });
  s.addMessage('All callers now take the injected source.');
  return s;
}

/** A long session: `count` entries in turns of 40, text and steps. */
export function createLongScript(count: number): Script {
  const s = new Script();
  while (s.entries.length < count) {
    if (s.entries.length % 40 === 0)
      s.turn(`Question ${s.turns.length + 1}: what about part ${s.entries.length}?`, { steps: 26 });
    const n = s.entries.length;
    if (n % 3 === 0)
      s.addMessage(
        `Step ${n} done. Here is **what** I found in \`file${n}.ts\`:\n\n- first point\n- second point, which is a little longer so that it wraps in a narrow panel`,
      );
    else
      s.tool('Read', { kind: 'file_read', path: `${projectDir}/src/part${n % 7}/file${n}.ts`, totalLines: n }, 0.3, {
        result: { text: 'x' },
      });
  }
  return s;
}
