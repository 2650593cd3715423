import assert from 'node:assert/strict';
import fc from 'fast-check';
import { capabilitiesOf, type AgentAdapter } from '../../../src/agents/adapter.ts';
import { capabilityNames } from '../../../src/model/session/capabilities.ts';
import { normalizedEntrySchema, type NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { OutputLine } from '../../../src/model/transcript/normalizer.ts';
import { appendContent } from '../../../src/model/transcript/transcript.ts';
import { linesOfCapture, readBy, type AgentCapture, type Read } from './agentCaptures.ts';
import { mutateLines, mutation } from '../hostile/damage.ts';
import { fuzzOptions, printFuzzTotals } from '../hostile/fuzz.ts';

/** Entries that no stdout line causes: unreadable lines, and stderr. */
function isBeside({ type }: NormalizedEntry): boolean {
  if (type.kind === 'error') return type.error.code === 'malformed_line' || type.error.code === 'oversize_line';
  return type.kind === 'system_message' && type.subtype === 'stderr';
}

function assertSound({ entries, open }: Read, firstIndex = 0): void {
  entries.forEach(({ index }, at) => assert.equal(index, firstIndex + at, 'numbered without gaps'));
  for (const entry of entries) {
    normalizedEntrySchema.parse(entry);
    assert.ok(!Number.isNaN(Date.parse(entry.timestamp)), entry.timestamp);
    if (entry.type.kind === 'error') assert.notEqual(entry.type.error.code, 'normalizer_fault');
    if (entry.type.kind !== 'tool_use') continue;
    const { status, startedAt, endedAt } = entry.type.tool;
    assert.ok(status !== 'created' && status !== 'running', 'no call is left open');
    assert.ok(endedAt !== undefined && (startedAt === undefined || typeof startedAt === 'string'));
  }
  assert.deepEqual(open, [], 'nothing is left open');
  const ids = entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool.callId] : []));
  assert.equal(new Set(ids).size, ids.length, 'one entry per call');
}

/** Updates must lead to the settled entries. */
function assertStreamed({ updates, entries }: Read): void {
  const seen = new Map<number, NormalizedEntry>();
  for (const update of updates) {
    if (update.op === 'put') seen.set(update.entry.index, update.entry);
    else {
      const entry = seen.get(update.index);
      assert.ok(entry !== undefined, 'appended to what is there');
      seen.set(update.index, appendContent(entry, update.text));
    }
  }
  for (const entry of entries) assert.deepEqual(seen.get(entry.index), entry);
}

/** No metadata before the first line that has it; from then on, both standard keys in every entry. */
function assertMetadata({ entries, facts }: Read): void {
  let known = false;
  for (const { metadata } of entries) {
    const has = metadata !== undefined && ('sessionId' in metadata || 'model' in metadata);
    assert.ok(has || !known, 'in all entries after the first that has it');
    known ||= has;
    if (!has) continue;
    assert.ok(metadata.sessionId !== undefined && metadata.model !== undefined, 'null where it is not known');
    // An unknown id is echoed, but no conversation has it.
    if (typeof metadata.sessionId !== 'string' || facts.unknownSession) continue;
    assert.ok(facts.sessionIds.includes(metadata.sessionId));
  }
}

/** Tests of the requirements for every executor. */
export function describeConformance(adapter: AgentAdapter, captures: readonly AgentCapture[]): void {
  describe(`${adapter.label} keeps what every executor promises`, () => {
    const read = (capture: AgentCapture): Read => readBy(adapter, linesOfCapture(capture), capture.exit);

    it('has captures', () => {
      assert.ok(captures.length > 0);
    });

    it('gives a reason for all that it cannot do', () => {
      for (const version of [null, ...captures.map(({ name }) => name.split('/')[0] ?? '')]) {
        const capabilities = capabilitiesOf(adapter, version);
        for (const name of capabilityNames) {
          const { supported, reason } = capabilities[name];
          assert.ok(supported || (reason !== undefined && reason !== ''), `${version ?? ''} ${name}`);
        }
      }
    });

    it('reads every capture into sound entries', () => {
      for (const capture of captures) {
        assertSound(read(capture));
        assertStreamed(read(capture));
        assertMetadata(read(capture));
      }
    });

    it('counts its lines, and knows those of the agent', () => {
      for (const capture of captures) {
        const { entries, facts } = read(capture);
        assert.equal(facts.lines.total, capture.stdout.filter((line) => line.trim() !== '').length, capture.name);
        if (capture.name.startsWith('documented/')) continue;
        assert.equal(facts.lines.unknown, 0, capture.name);
        const beside = entries.filter(({ type }) => type.kind === 'error' && type.error.code === 'malformed_line');
        assert.equal(beside.length, facts.lines.malformed, capture.name);
      }
    });

    it('continues from any index', () => {
      for (const capture of captures) {
        const later = readBy(adapter, linesOfCapture(capture), capture.exit, { firstIndex: 41 });
        assertSound(later, 41);
        const moved = later.entries.map((entry) => ({ ...entry, index: entry.index - 41 }));
        assert.deepEqual(moved, read(capture).entries);
      }
    });

    it('says the same however the process printed it, and once', () => {
      for (const capture of captures) {
        const normalizer = adapter.createNormalizer({ workDir: '/workspace', firstIndex: 0 });
        for (const line of linesOfCapture(capture)) normalizer.push(line, 0);
        assert.ok(normalizer.end(capture.exit, 0).length >= 0);
        assert.deepEqual(normalizer.end(capture.exit, 0), [], 'a second end says nothing');
      }
    });

    it('adds no entry for a prompt that stands in the transcript, and says of no other that a person wrote it', () => {
      const messages = ({ entries }: Read) => entries.filter(({ type }) => type.kind === 'user_message');
      for (const capture of captures) {
        const before = messages(read(capture));
        const echo = before.find(({ origin }) => origin === 'human');
        if (echo === undefined) continue;
        const reported = readBy(adapter, linesOfCapture(capture), capture.exit, { prompt: echo.content });
        const after = messages(reported).map(({ origin }) => origin);
        assert.equal(after.length, before.length - 1, capture.name);
        assert.ok(!after.includes('human'), capture.name);
      }
    });

    it('keeps output other than agent messages', () => {
      const bad: OutputLine[] = [
        { stream: 'stdout', text: '{"type":"of a later version","x":1}' },
        { stream: 'stdout', text: 'Segmentation fault' },
        { stream: 'stdout', text: '{"type":' },
        { stream: 'stdout', text: '42' },
        { stream: 'stdout', text: '   ' },
        { stream: 'stdout', oversize: { bytes: 9_000_000, head: '{"type":"x' } },
        { stream: 'stderr', text: 'first' },
        { stream: 'stderr', text: 'second' },
      ];
      const result = readBy(adapter, bad);
      assertSound(result);
      const { entries, facts } = result;
      assert.deepEqual(facts.lines, { total: 5, unknown: 1, malformed: 3, oversize: 1 });
      assert.equal(entries.filter(isBeside).length, 5);
      const unknown = entries.find(({ type }) => type.kind === 'system_message' && type.subtype === 'unknown');
      assert.equal(unknown?.metadata?.raw, '{"type":"of a later version","x":1}');
      const stderr = entries.find(({ type }) => type.kind === 'system_message' && type.subtype === 'stderr');
      assert.equal(stderr?.content, 'first\nsecond');
      assert.equal(facts.stderr, 'first\nsecond\n');
      assert.ok(facts.warnings.length >= 3);
    });

    it('tells of a process that printed nothing', () => {
      const { entries } = readBy(adapter, [], { code: 127, signal: null });
      assert.deepEqual(
        entries.map(({ type }) => type.kind),
        ['error'],
      );
      assert.equal(entries[0]?.metadata, undefined);
      assert.deepEqual(readBy(adapter, [], { code: 0, signal: null }).entries, []);
    });

    it('never takes the place of an option with what a user wrote', () => {
      const uuid = '0d4e1b5c-9f5a-4e46-8a4b-0f6c1d2e3f40';
      for (const version of [null, ...new Set(captures.map(({ name }) => name.split('/')[0] ?? ''))]) {
        const { args, stdin } = adapter.command({
          prompt: '--help me',
          options: { model: '-x' },
          program: { version },
          newSessionId: uuid,
        });
        if (adapter.protocol !== undefined) {
          assert.ok(stdin === null && !args.includes('--help me') && !args.includes('-x'), 'said by the protocol');
          continue;
        }
        assert.ok(stdin === '--help me' || args.slice(-2).join(' ') === '-- --help me');
        assert.ok(!args.includes('-x'), 'a model that begins with a dash');
      }
    });

    const run = fc.record({
      capture: fc.constantFrom(...captures),
      changes: fc.array(mutation, { minLength: 1, maxLength: 8 }),
      exit: fc.constantFrom({ code: 0, signal: null }, { code: 1, signal: null }, { code: null, signal: 'SIGTERM' }),
    });

    it('stays sound on damaged output', () => {
      let lines = 0;
      fc.assert(
        fc.property(run, ({ capture, changes, exit }) => {
          const stdout = changes.reduce(mutateLines, [...capture.stdout]);
          const result = readBy(adapter, linesOfCapture({ stdout, stderr: capture.stderr }), exit);
          assertSound(result);
          assertStreamed(result);
          assert.equal(result.facts.lines.total, stdout.filter((text) => text.trim() !== '').length);
          lines += result.facts.lines.total;
        }),
        fuzzOptions(500),
      );
      printFuzzTotals(`${lines} lines of damaged output`);
    });

    it('stays sound on any JSON', () => {
      const line = fc.oneof(fc.string(), fc.json());
      fc.assert(
        fc.property(fc.array(line, { maxLength: 20 }), (texts) => {
          const result = readBy(
            adapter,
            texts.map((text) => ({ stream: 'stdout', text })),
          );
          assertSound(result);
        }),
        fuzzOptions(300),
      );
    });
  });
}
