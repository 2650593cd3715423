import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { linesOfCapture } from '../support/captures/agentCaptures.ts';
import { claudeCaptures, normalizeLines } from '../support/captures/captures.ts';
import { repository } from '../support/host/install/cache.mjs';

/** Rewrites the expected entries instead of comparing with them. */
const update = process.env['UPDATE_GOLDEN'] === '1';

/** One of each kind of run and of each way in which versions differ; the other captures are held against invariants. */
const cases = new Set([
  '1.0.3/citations',
  '1.0.3/denied-json',
  '1.0.3/error-400',
  '1.0.3/max-turns-3',
  '1.0.3/parallel-tools',
  '1.0.3/plain-json-verbose',
  '1.0.3/sigint-during-tool',
  '1.0.3/stdin-kept-open',
  '1.0.3/thinking',
  '1.0.3/todo',
  '1.0.3/tools',
  '1.0.3/websearch',
  '2.0.77/ask-user-question',
  '2.0.77/background-agent',
  '2.0.77/citations-partial',
  '2.0.77/cut-off-partial',
  '2.0.77/control-interrupt',
  '2.0.77/denied',
  '2.0.77/error-429',
  '2.0.77/input-stream-json-replay',
  '2.0.77/max-budget',
  '2.0.77/search-tools',
  '2.0.77/sigint-during-stream',
  '2.0.77/slash-cost',
  '2.1.328/accept-edits',
  '2.1.328/background-agent',
  '2.1.328/bad-tool-input',
  '2.1.328/control-interrupt',
  '2.1.328/cut-off-partial',
  '2.1.328/error-529',
  '2.1.328/error-no-key-json',
  '2.1.328/error-unknown-flag',
  '2.1.328/hook-denies',
  '2.1.328/hook-events',
  '2.1.328/image-read',
  '2.1.328/json-schema',
  '2.1.328/max-tokens',
  '2.1.328/max-turns-1',
  '2.1.328/mcp',
  '2.1.328/permission-stdio-deny-interrupt',
  '2.1.328/plain-text',
  '2.1.328/redacted-thinking',
  '2.1.328/refusal',
  '2.1.328/resume-unknown',
  '2.1.328/sigint-during-stream',
  '2.1.328/sigkill-during-tool',
  '2.1.328/sigterm-during-tool',
  '2.1.328/subagent-partial',
  '2.1.328/tasks',
  '2.1.328/thinking-partial',
  '2.1.328/tools-partial',
]);

describe('entries of Claude Code captures', () => {
  const captures = claudeCaptures().filter(({ name }) => cases.has(name));

  it('has a capture for every case', () => {
    assert.deepEqual(new Set(captures.map(({ name }) => name)), cases);
  });

  for (const capture of captures) {
    it(capture.name, () => {
      const { entries } = normalizeLines(linesOfCapture(capture), capture.exit);
      const got = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      const file = path.join(repository, 'test/golden/claude-code', `${capture.name}.jsonl`);
      if (update) {
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, got);
      }
      assert.ok(existsSync(file), `no expected entries for ${capture.name}: run with UPDATE_GOLDEN=1`);
      const parse = (text: string): unknown[] =>
        text
          .split('\n')
          .filter((line) => line !== '')
          .map((line): unknown => JSON.parse(line));
      assert.deepEqual(parse(got), parse(readFileSync(file, 'utf8')));
    });
  }
});
