/** Made-up sessions with pending requests, for the page. */
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { AgentRequest, Decision } from '../../../src/model/agent/request.ts';
import type { SessionSummary } from '../../../src/model/session/summary.ts';
import type { ConversationView, SessionView } from '../../../src/protocol/panel/messages.ts';
import type { LoadOptions } from './fakeHost.ts';
import { projectDir, Script, view } from './madeUp.ts';

/** Asked 38 seconds ago, denied in about nine minutes. */
function times(): Pick<AgentRequest, 'asked_at' | 'expires_at'> {
  const asked = Date.now() - 38_000;
  return { asked_at: new Date(asked).toISOString(), expires_at: new Date(asked + 600_000).toISOString() };
}

export function commandRequest(text: string, overrides: Partial<AgentRequest> = {}): AgentRequest {
  return {
    id: 'req-1',
    kind: 'permission',
    callId: 'call-asked',
    toolName: 'Bash',
    title: `Run ${text.split('\n')[0] ?? ''}`,
    description: 'Commit the fix on a branch',
    reason: 'No allow rule covers git switch and git commit',
    action: { kind: 'command_run', command: text },
    input: { command: text, description: 'Commit the fix on a branch' },
    cwd: projectDir,
    session: 'Bash commands that begin with git switch or git commit',
    ...times(),
    ...overrides,
  };
}

export const commit = [
  'git switch -c fix/upload-retry-jitter \\',
  '  && git add src/upload src/sync test/upload.spec.ts \\',
  '  && git commit -m "Make retry jitter injectable so tests are deterministic"',
].join('\n');

export function questionRequest(overrides: Partial<AgentRequest> = {}): AgentRequest {
  return {
    id: 'req-q',
    kind: 'question',
    callId: 'call-asked',
    toolName: 'AskUserQuestion',
    title: 'Which test runner?',
    questions: [
      {
        question: 'Which test runner do you want?',
        header: 'Runner',
        multiSelect: false,
        freeText: true,
        options: [
          { label: 'Vitest', description: 'Fast, and the project has its configuration already' },
          { label: 'node --test', description: 'No dependency' },
        ],
      },
      {
        question: 'Which folders shall be covered?',
        multiSelect: true,
        freeText: false,
        options: [{ label: 'src/upload' }, { label: 'src/sync' }, { label: 'test' }],
      },
    ],
    ...times(),
    ...overrides,
  };
}

export function planRequest(overrides: Partial<AgentRequest> = {}): AgentRequest {
  return {
    id: 'req-p',
    kind: 'plan',
    callId: 'call-asked',
    toolName: 'ExitPlanMode',
    title: 'Make retries deterministic',
    plan: '# Make retries deterministic\n\n1. Inject the **random source**\n2. Pin it in `upload.spec.ts`\n\n<img src=x> [quit](command:workbench.action.quit)',
    ...times(),
    ...overrides,
  };
}

export function requestEntry(index: number, request: AgentRequest, decision?: Decision): NormalizedEntry {
  return {
    index,
    timestamp: request.asked_at,
    type: { kind: 'system_message', subtype: 'request' },
    content: request.title,
    metadata: { request, ...(decision !== undefined && { decision }) },
  };
}

export function conversation(
  requests: readonly AgentRequest[],
  overrides: Partial<ConversationView> = {},
): ConversationView {
  return { takesMessages: true, requests, queued: [], ...overrides };
}

/** A session in its second turn, with waiting calls and the requests about them at its end. */
export function loadWithRequests(requests: readonly AgentRequest[], options: RequestPageOptions = {}): LoadOptions {
  const script = new Script();
  script.turn('Fix the flaky test.');
  for (let n = 0; n < (options.before ?? 3); n++) {
    script.tool('Read', { kind: 'file_read', path: `${projectDir}/src/part${n}.ts`, totalLines: 10 + n }, 0.1);
  }
  script.turn('Put the change on a branch.', { status: 'running', durationMs: null, usd: null });
  script.addMessage(
    'All callers now take the injected source. While the review finishes I’d like to put the change on a branch.',
  );
  for (const request of requests) {
    const action = request.action ?? { kind: 'tool' as const, input: request.input };
    script.tool(request.toolName ?? 'Tool', action, 0, { callId: request.callId ?? 'none', status: 'running' });
    script.entries.push(requestEntry(script.entries.length, request));
  }
  for (let n = 0; n < (options.after ?? 0); n++) {
    script.tool('Read', { kind: 'file_read', path: `${projectDir}/src/later${n}.ts`, totalLines: 10 + n }, 0.1);
  }
  const { entries, turns } = script;
  const open = entries.flatMap(({ index, metadata }) => (metadata?.['request'] === undefined ? [] : [index]));
  return {
    entries,
    open,
    view: view(
      {
        turns,
        conversation: conversation(requests, options.conversation),
        can: { send: true, stop: true, resume: false },
        ...options.view,
      },
      { status: 'running', outcome: 'none', entries: entries.length, ...options.summary },
    ),
  };
}

interface RequestPageOptions {
  /** Number of steps before and after the request. */
  readonly before?: number;
  readonly after?: number;
  readonly conversation?: Partial<ConversationView>;
  readonly view?: Partial<SessionView>;
  readonly summary?: Partial<SessionSummary>;
}
