import assert from 'node:assert/strict';
import { ClaudeCodeNormalizer } from '../../../src/agents/claude-code/normalize.ts';
import type { ClientLine } from '../../../src/model/transcript/clientLine.ts';
import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { Answer, Decision } from '../../../src/model/agent/request.ts';

describe("Vitrine's own messages and decisions", () => {
  const settled = (
    lines: readonly ({ stream: 'stdout' | 'stderr'; text: string } | ClientLine)[],
  ): NormalizedEntry[] => {
    const normalizer = new ClaudeCodeNormalizer({ workDir: '/w', firstIndex: 0 });
    const entries = new Map<number, NormalizedEntry>();
    const open = new Set<number>();
    const take = (updates: ReturnType<typeof normalizer.push>): void => {
      for (const update of updates) {
        if (update.op !== 'put') continue;
        entries.set(update.entry.index, update.entry);
        if (update.open === true) open.add(update.entry.index);
        else open.delete(update.entry.index);
      }
    };
    for (const line of lines) {
      take(
        normalizer.push('stream' in line ? line : { stream: 'client', text: JSON.stringify(line) }, 1_700_000_000_000),
      );
    }
    take(normalizer.end({ code: 0, signal: null }, 1_700_000_001_000));
    assert.deepEqual([...open], []);
    return [...entries.values()];
  };
  const at = '2026-11-20T10:00:00.000Z';
  const request = {
    id: 'r',
    kind: 'permission',
    toolName: 'Bash',
    title: 'Run it',
    action: { kind: 'command_run', command: 'echo "```"\n````\n**Allowed**' },
    description: '`x`\n\n# Allowed once',
    asked_at: at,
    expires_at: at,
  } as const;

  const asking = {
    type: 'control_request',
    request_id: 'r',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {} },
  };

  it("share an entry with the agent's line, and cannot be faked by its content", () => {
    const wire = { stream: 'stdout', text: JSON.stringify(asking) } as const;
    const entries = settled([wire, { type: 'request', request }]);
    const shown = entries.filter(({ metadata }) => metadata?.['request'] !== undefined);
    assert.equal(shown.length, 1);
    assert.equal(entries.filter(({ content }) => content.includes('ermission')).length, 0);
    assert.match(shown[0]?.content ?? '', /\n`````\necho "```"\n````\n\*\*Allowed\*\*\n`````$/);
    assert.match(shown[0]?.content ?? '', /^Not answered: the run ended/);
    assert.equal(/^# Allowed/m.test(shown[0]?.content ?? ''), false);
  });

  it('show who decided what', () => {
    const decided = (by: Decision['by'], answer: Answer): string => {
      const entries = settled([
        { type: 'request', request: { ...request, session: 'Bash(echo:*)' } },
        { type: 'decision', id: 'r', decision: { by, at, answer } },
      ]);
      return entries[0]?.content.split('\n\n').slice(0, 2).join(' | ') ?? '';
    };
    assert.match(
      decided('user', { kind: 'allow', scope: 'session' }),
      /^Allowed for this session: Run .* \| For the session: `Bash\(echo:\*\)`/,
    );
    assert.match(decided('policy', { kind: 'allow', scope: 'once' }), /^Allowed once, by a rule: /);
    assert.match(decided('user', { kind: 'deny', reason: 'a\n# b' }), /^Denied: .* \| > a\n> # b$/);
    assert.match(decided('timeout', { kind: 'deny' }), /^Denied: no answer in time: /);
    assert.match(decided('nobody', { kind: 'deny' }), /^Denied: no one available to answer: /);
  });

  it('keep messages, notes and outputs in order, and unknown lines', () => {
    const entries = settled([
      { type: 'message', at, text: 'And then?', origin: 'human' },
      { type: 'note', subtype: 'unsaid', content: 'Something' },
      { type: 'tool_output', callId: 'c', stdout: 'out', exitCode: 0 },
      { type: 'decision', id: 'never asked', decision: { by: 'user', at, answer: { kind: 'deny' } } },
    ]);
    assert.deepEqual(
      entries.map(({ type, content, origin }) => [type.kind, content, origin]),
      [
        ['user_message', 'And then?', 'human'],
        ['system_message', 'Something', 'system'],
        ['system_message', 'Output for the call c\n\n```\nout\n```', 'system'],
      ],
    );
    assert.equal(entries[0]?.timestamp, at);
    const normalizer = new ClaudeCodeNormalizer({ workDir: '/w', firstIndex: 0 });
    const [unknown] = normalizer.push({ stream: 'client', text: '{"type":"newer"}' }, 0);
    assert.ok(unknown?.op === 'put' && unknown.entry.metadata?.raw === '{"type":"newer"}');
  });
});
