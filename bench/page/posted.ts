import { claudeCode } from '../../src/agents/claude-code/adapter.ts';
import { RunOutput } from '../../src/engine/output/runOutput.ts';
import type { EntryUpdate, NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { view } from '../../test/support/page/madeUp.ts';
import { PostedMessages } from '../../test/support/sessions/posted.ts';
import { chunks, claudeOutput } from '../output/claudeOutput.ts';
import type { Row } from '../harness.ts';
import { workDir } from '../output/pipeline.ts';

/** Characters per delta, and deltas per frame of the page. */
const [delta, perFrame] = [20, 40];
const goal = 1.5;

function row(name: string, posted: PostedMessages, content: number): Row {
  const value = posted.bytes / content;
  const detail = `${kB(posted.bytes)} in ${posted.messages} messages for ${kB(content)}`;
  return { name, value, unit: '×', goal, detail };
}

const kB = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`;

/** Posts updates frame by frame, and the view every 100 ms (six frames), when it may have changed. */
function play(posted: PostedMessages, updates: Iterable<EntryUpdate>, step: number): void {
  let at = 0;
  for (const update of updates) {
    posted.push([update]);
    at += 1;
    if (at % step !== 0) continue;
    posted.frame();
    const { summary, sizes } = posted.view;
    if ((at / step) % 6 !== 0) continue;
    const now = new Date(Date.UTC(2026, 0, 2) + at).toISOString();
    posted.show({ ...posted.view, summary: { ...summary, updated_at: now }, sizes: { ...sizes, rawBytes: at } });
  }
  posted.frame();
}

function* streamed(text: string): Generator<EntryUpdate> {
  const entry: NormalizedEntry = {
    index: 0,
    timestamp: '2026-01-02T10:00:00Z',
    type: { kind: 'assistant_message' },
    content: '',
  };
  yield { op: 'put', entry, open: true };
  for (let at = 0; at < text.length; at += delta) yield { op: 'append', index: 0, text: text.slice(at, at + delta) };
  yield { op: 'put', entry: { ...entry, content: text } };
}

/** Data posted to the page: an answer of 1 MB, and an agent's usual work. */
export function posted(megabytes = 2): Row[] {
  const answer = new PostedMessages(view());
  play(answer, streamed('Some **words** of an answer. '.repeat(1_000_000 / 29)), perFrame);
  const output = new RunOutput(claudeCode.createNormalizer({ workDir, firstIndex: 0 }));
  const updates = chunks(claudeOutput(megabytes)).flatMap((piece) => output.push('stdout', piece, 0));
  const run = new PostedMessages(view());
  play(run, updates, perFrame);
  return [
    row('posted: answer of 1 MB in pieces of 20 characters', answer, answer.content),
    row('posted: a long run with partial messages', run, run.content),
  ];
}
