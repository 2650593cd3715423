import { findAdapter } from '../../src/agents/registry.ts';
import { capturesOf, linesOfCapture, readBy } from '../support/captures/agentCaptures.ts';
import { assertGolden } from '../support/captures/golden.ts';
import assert from 'node:assert/strict';

/** One of each kind of run; the other captures are held against invariants. Documented ones are made from what is published of a format. */
const cases: Readonly<Record<string, readonly string[]>> = {
  codex: [
    '0.169.0/commentary',
    '0.169.0/error-401',
    '0.169.0/error-connection-refused',
    '0.169.0/error-response-failed',
    '0.169.0/mcp',
    '0.169.0/not-a-git-repo',
    '0.169.0/plan',
    '0.169.0/reasoning',
    '0.169.0/resume-other-model',
    '0.169.0/resume-unknown',
    '0.169.0/server-approvals',
    '0.169.0/server-cut',
    '0.169.0/server-interrupt',
    '0.169.0/server-steer',
    '0.169.0/server-streamed',
    '0.169.0/tools-read-only',
    '0.169.0/tools-workspace-write',
    '0.169.0/websearch',
    '0.20.0/error-response-failed',
    '0.20.0/error-unknown-flag',
    '0.20.0/mcp',
    '0.20.0/plain-text',
    '0.20.0/plan',
    '0.20.0/sigterm-during-tool',
    '0.20.0/tools',
    '0.42.0/sigint-during-tool',
    '0.42.0/tools',
    '0.44.0/error-401',
    '0.77.0/resume-unknown',
    '0.77.0/sigint-during-tool',
    '0.77.0/tools',
    'documented/items',
  ],
  copilot: [
    '1.0.102/allow-write-only',
    '1.0.102/autopilot',
    '1.0.102/error-400',
    '1.0.102/error-500-once',
    '1.0.102/error-not-logged-in-text',
    '1.0.102/max-tokens',
    '1.0.102/mcp',
    '1.0.102/mode-plan',
    '1.0.102/model-unknown',
    '1.0.102/no-allow-flag-text',
    '1.0.102/openai-responses-tools',
    '1.0.102/plain-usage-output-file',
    '1.0.102/resume-tools',
    '1.0.102/resume-unknown',
    '1.0.102/sigint-during-stream',
    '1.0.102/sigterm-native-during-tool',
    '1.0.102/subagent',
    '1.0.102/thinking',
    '1.0.102/todo',
    '1.0.102/unknown-tool',
  ],
  gemini: [
    '0.61.0/arg-and-stdin',
    '0.61.0/denied-default',
    '0.61.0/empty-answer',
    '0.61.0/error-400',
    '0.61.0/error-400-json',
    '0.61.0/max-session-turns',
    '0.61.0/max-session-turns-json',
    '0.61.0/mcp',
    '0.61.0/not-trusted',
    '0.61.0/resume-1-by-id',
    '0.61.0/sigint-during-tool-group',
    '0.61.0/subagent',
    '0.61.0/todo',
    '0.61.0/tools-json',
    '0.61.0/tools-plan-mode',
    '0.61.0/tools-yolo',
    '0.61.0/websearch',
  ],
  acp: [
    'claude-agent-acp-0.100.0/basic',
    'claude-agent-acp-0.100.0/error-400',
    'claude-agent-acp-0.100.0/error-refusal',
    'claude-agent-acp-0.100.0/load',
    'claude-agent-acp-0.100.0/plan',
    'claude-agent-acp-0.100.0/plan-mode-exit',
    'claude-agent-acp-0.100.0/sigterm',
    'claude-agent-acp-0.100.0/tools-client-fs',
    'claude-agent-acp-0.100.0/websearch',
    'codex-acp-2.6.0/cancel',
    'codex-acp-2.6.0/error-429',
    'codex-acp-2.6.0/load-unknown',
    'codex-acp-2.6.0/thinking',
    'codex-acp-2.6.0/tools-read-only-mode-allow',
    'codex-acp-2.6.0/tools-reject',
    'codex-acp-2.6.0/v2-session',
    'copilot-acp-1.0.102/basic',
    'copilot-acp-1.0.102/error-401',
    'copilot-acp-1.0.102/tools-client-fs',
    'copilot-acp-1.0.102/tools-reject',
    'gemini-acp-0.61.0/error-429',
    'gemini-acp-0.61.0/resume',
    'gemini-acp-0.61.0/tools-client-fs',
    'gemini-acp-0.61.0/tools-reject',
    'zed-claude-code-acp-0.16.2/load',
    'zed-claude-code-acp-0.16.2/subagent',
    'zed-claude-code-acp-0.16.2/tools-allow',
  ],
  'acp-http': [
    'documented/asker',
    'documented/dropping',
    'documented/failing',
    'documented/garbling',
    'documented/researcher',
    'documented/slow',
    'documented/telling',
    'documented/weather',
    'documented/writer',
  ],
  cursor: ['documented/documented-example', 'documented/failed', 'documented/partial-output', 'documented/refused'],
};

for (const [type, names] of Object.entries(cases)) {
  describe(`entries of ${type} captures`, () => {
    const captures = capturesOf(type).filter(({ name }) => names.includes(name));

    it('has a capture for every case', () => {
      assert.deepEqual(captures.map(({ name }) => name).sort(), [...names].sort());
    });

    for (const capture of captures) {
      it(capture.name, () => {
        const adapter = findAdapter(type);
        assert.ok(adapter !== undefined);
        assertGolden(`${type}/${capture.name}`, readBy(adapter, linesOfCapture(capture), capture.exit).entries);
      });
    }
  });
}
