import { entriesOfMessage, writerOf, type AcpMessage } from '../../formats/import/acpMessages.ts';
import { validMessages } from '../../formats/import/validAcpMessages.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { isRealMessage } from '../../insight/recall/querySource.ts';
import { syntheticSchema } from '../../model/transcript/metadata.ts';
import { isMarkedSynthetic, isSynthetic } from '../../model/transcript/synthetic.ts';
import { runId } from '../ids.ts';
import { addSteps, noSteps } from '../run/runFigures.ts';
import type { Draft, ImportedDraft } from './draft.ts';

const titleLength = 80;
const batch = 500;

/** Imports Agent Communication Protocol messages as one run, without usage. */
export async function importMessages(
  source: readonly AcpMessage[],
  { begin, deps, at }: Draft,
): Promise<ImportedDraft> {
  const { messages, invalidCount } = validMessages(source);
  const times = messages
    .flatMap(({ created_at, completed_at }) => [created_at, completed_at])
    .filter((time) => typeof time === 'string');
  const entries: NormalizedEntry[] = [];
  let time = times[0] ?? at;
  for (const message of messages) {
    time = message.created_at ?? time;
    entries.push(...entriesOfMessage(message, entries.length, time));
  }
  const reported = entries.find(isRealMessage) ?? entries.find(({ type }) => type.kind === 'user_message');
  const { content: prompt = '', origin, metadata } = reported ?? {};
  const isPersons = !isMarkedSynthetic(metadata);
  const agent = messages
    .map(({ role }) => /^agent\/(.+)$/.exec(role)?.[1])
    .find((name) => name !== undefined && name !== 'vitrine');
  const created = times[0] ?? at;
  const writer = await begin({
    created_at: created,
    execution_mode: 'sync',
    executor_session_ids: [],
    executor_type: 'acp-http',
    title: (prompt.trim().split('\n', 1)[0] ?? '').slice(0, titleLength),
    ...(agent !== undefined && { agent_name: agent }),
  });
  await writer.append({
    kind: 'run',
    run: {
      run_id: runId(deps.randomHex),
      type: 'start_session',
      session_id: writer.id,
      prompt,
      ...(!isPersons && { ...syntheticSchema.parse(metadata), prompt_origin: origin }),
      execution_mode: 'sync',
      status: 'completed',
      created_at: created,
      started_at: created,
      completed_at: times.at(-1) ?? at,
      first_index: 0,
      end_index: entries.length,
      ...addSteps(noSteps, entries),
    },
  });
  for (let from = 0; from < entries.length; from += batch) {
    await writer.appendAll(entries.slice(from, from + batch).map((entry) => ({ kind: 'entry', entry })));
  }
  const marked = entries.filter(isSynthetic).length;
  const mistyped = messages.filter(
    (message) => message.role === 'user' && writerOf(message).mistyped.length > 0,
  ).length;
  return {
    problems: mistyped + invalidCount,
    mistyped,
    original: null,
    ...(marked > 0 && { known: { synthetic: { messages: marked, runs: isPersons ? 0 : 1, turns: 0 } } }),
  };
}
