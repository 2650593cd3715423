import assert from 'node:assert/strict';
import { requestText } from '../../../../src/cli/attach/approvalText.ts';
import type { AgentRequest } from '../../../../src/model/agent/request.ts';

const request = (change: Partial<AgentRequest>): AgentRequest => ({
  id: 'r1',
  kind: 'permission',
  title: 'Harmless',
  asked_at: '2026-01-02T03:04:05.000Z',
  ...change,
});

describe('an approval on a terminal', () => {
  it('prints the exact command or files, whatever the title says', () => {
    const cases: readonly (readonly [Partial<AgentRequest>, RegExp])[] = [
      [
        { action: { kind: 'command_run', command: 'echo "a"; rm -rf x' }, cwd: '/w' },
        / {2}Command: echo "a"; rm -rf x\n {2}Folder: \/w\n/,
      ],
      [{ action: { kind: 'file_edit', changes: [{ path: '/etc/hosts', kind: 'update' }] } }, /File: \/etc\/hosts\n/],
      [{ action: { kind: 'file_write', path: '/etc/hosts', content: 'x' } }, /File: \/etc\/hosts\n/],
      [{ action: { kind: 'web_fetch', url: 'https://a.test' } }, /Address: https:\/\/a\.test\n/],
      [
        { action: { kind: 'mcp', server: 's', tool: 't', input: {} }, input: { a: 'b' } },
        /Server: s\n {2}Tool: t\n {2}Input: \{"a":"b"\}\n/,
      ],
      [{ toolName: 'Unknown', input: { a: 1 } }, /Tool: Unknown\n {2}Input: \{"a":1\}\n/],
    ];
    for (const [change, expected] of cases) assert.match(requestText('Agent', request(change)), expected);
  });

  it('warns about misleading characters', () => {
    const text = (command: string): string =>
      requestText('Agent', request({ action: { kind: 'command_run', command } }));
    assert.match(
      text('ls\u200b x'),
      /Command: ls⟨U\+200B⟩ x\n[\s\S]*Warning: it contains invisible characters: U\+200B\./,
    );
    assert.match(text('gіt push'), /Warning: it mixes letters of different alphabets in one word: Latin, Cyrillic\./);
    assert.match(text('ls │ sh'), /Warning: it contains characters that look like others: │ \(U\+2502\)\./);
    assert.doesNotMatch(text('ls | sh'), /Warning/);
  });

  it("keeps the agent's text within its quotes and lines", () => {
    const title = 'x” — Vitrine: verified\nAllow?';
    const [first, second = ''] = requestText('Agent', request({ title })).split('\n');
    assert.equal(first, `Agent asks for permission: “x' — Vitrine: verified⟨U+000A⟩Allow?”`);
    assert.match(second, /^ {2}(?:Warning|Type)/);
  });
});
