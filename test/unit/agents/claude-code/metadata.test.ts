import assert from 'node:assert/strict';
import { normalizeLines, stdoutLines } from '../../../support/captures/captures.ts';

/** Lines about the run, and what is shown of them. */
const cases: readonly (readonly [line: object, shown: string])[] = [
  [
    { subtype: 'hook_response', hook_name: 'H', stdout: 'out\n', stderr: 'err\n', exit_code: 0 },
    'Hook `H` · exit code 0\n\nout\nerr',
  ],
  [
    { subtype: 'hook_response', hook_name: 'H', output: 'all', stdout: 'out', outcome: 'success' },
    'Hook `H` · success\n\nall',
  ],
  [{ subtype: 'hook_progress', hook_name: 'H', stdout: '', stderr: '' }, 'Hook `H`'],
  [
    { subtype: 'status', status: null, compact_result: 'failed', compact_error: 'Too short.' },
    'compaction: failed · Too short.',
  ],
  [{ subtype: 'status', status: 'compacting', permissionMode: 'plan' }, 'compacting · permission mode `plan`'],
  [{ subtype: 'status', status: null }, 'Status'],
  [{ subtype: 'task_updated', patch: { status: 'failed', error: 'Crashed.' } }, 'Task updated · failed · Crashed.'],
  [{ subtype: 'task_progress', description: 'Tests', summary: '3 of 9 pass' }, 'Task · Tests · 3 of 9 pass'],
  [{ subtype: 'task_progress', summary: '3 of 9 pass' }, 'Task · 3 of 9 pass'],
  [{ subtype: 'files_persisted', files: [{}, {}], failed: [] }, 'Files kept: 2'],
  [
    { subtype: 'files_persisted', files: [], failed: [{ filename: 'a.txt', error: 'too large' }] },
    'Files kept: 0 · not: 1\n\n- `a.txt` · too large',
  ],
  [
    { subtype: 'memory_recall', memories: [{ path: '/m/a.md' }, { path: '<synthesis:/m>', content: 'Likes tabs.' }] },
    'Memory recalled\n\n- `/m/a.md`\n- `<synthesis:/m>`\n\nLikes tabs.',
  ],
  [{ subtype: 'notification', text: 'Nearly full', priority: 'high' }, 'Nearly full'],
  [{ subtype: 'session_state_changed', state: 'idle' }, 'Session · idle'],
  [
    { subtype: 'plugin_install', status: 'failed', name: 'p', error: 'no network' },
    'Plugins · p · failed · no network',
  ],
  [{ subtype: 'commands_changed', commands: [{ name: 'x' }] }, 'Commands: 1'],
  [{ subtype: 'elicitation_complete', mcp_server_name: 'docs' }, 'Question answered · docs'],
  [{ subtype: 'mirror_error', error: 'timed out' }, 'The transcript could not be copied · timed out'],
  [{ subtype: 'control_request_progress', status: 'started' }, 'Request · started'],
  [
    { subtype: 'control_request_progress', status: 'api_retry', attempt: 1, max_retries: 3, retry_delay_ms: 500 },
    'Retry 1 of 3 · in 0.5 s',
  ],
  [{ subtype: 'worker_shutting_down', reason: 'host_exit' }, 'The agent is shutting down · host_exit'],
  [{ subtype: 'model_refusal_fallback', original_model: 'a', fallback_model: 'b' }, 'Model changed · a · b'],
  [{ subtype: 'model_consent_fallback', content: 'Switched.' }, 'Switched.'],
  [{ type: 'active_goal', value: { condition: 'Tests pass', last_reason: '2 fail' } }, 'Goal: Tests pass · 2 fail'],
  [{ type: 'active_goal', value: null }, 'No goal'],
  [{ type: 'conversation_reset', trigger: 'clear' }, 'The conversation was cleared · clear'],
  [{ type: 'auth_status', isAuthenticating: true, output: ['Open', 'https://x'] }, 'Authentication\n\nOpen\nhttps://x'],
  [{ type: 'auth_status', output: [], error: 'expired' }, 'Authentication · expired'],
];

describe('lines of Claude Code about the run', () => {
  for (const [line, shown] of cases) {
    it(`say: ${shown.replaceAll('\n', ' ')}`, () => {
      const { entries, facts } = normalizeLines(stdoutLines({ type: 'system', ...line }));
      assert.equal(entries[0]?.content, shown);
      assert.equal(facts.lines.unknown, 0);
    });
  }
});
