import { logDetection, logFiltered, logFiltering, logQuerySource } from '../../src/engine/log/metadataLog.ts';
import { serializeRecordLine } from '../../src/formats/record.ts';
import { chooseQuery, isRealMessage } from '../../src/insight/recall/querySource.ts';
import { normalizedEntrySchema, type NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { median, type Row } from '../harness.ts';

const thread = 20;
const warmUp = 6;

function message(index: number): NormalizedEntry {
  const synthetic = index % thread !== 0;
  return {
    index,
    timestamp: '2026-01-02T10:00:00.000Z',
    type: { kind: 'user_message' },
    content: 'Continue our conversation naturally.',
    origin: synthetic ? 'follow_up' : 'human',
    ...(synthetic && {
      metadata: { synthetic: true, trigger_type: 'check_in', trigger_reason: 'No activity for 30 seconds' },
    }),
  };
}

/** All operations on the marks of a message: create, write, read, check, log, and filter. */
export async function metadata(messages = 2000, turns = 15): Promise<Row> {
  let characters = 0;
  const count = (text: string): void => void (characters += text.length);
  const log = { debug: count, info: count, warn: count, error: count };
  const times: number[] = [];
  for (let turn = 0; turn < warmUp + turns; turn += 1) {
    const started = process.cpuUsage();
    const saved: NormalizedEntry[] = [];
    for (let index = 0; index < messages; index += 1) {
      const line = JSON.parse(serializeRecordLine({ kind: 'entry', entry: message(index) })) as { entry: unknown };
      const entry = normalizedEntrySchema.parse(line.entry);
      saved.push(entry);
      logDetection(log, 'ses_0123456789ab', entry.metadata);
      if (!isRealMessage(entry)) logFiltered(log, String(index), entry.metadata);
      const chosen = await chooseQuery({
        current: { ...entry, text: entry.content },
        earlier: saved.slice(-thread, -1).reverse(),
        summary: () => Promise.resolve(''),
      });
      if (chosen !== undefined) logQuerySource(log, 'ses_0123456789ab', chosen.source, chosen.query);
    }
    const filtered = saved.filter((entry) => !isRealMessage(entry)).length;
    logFiltering(log, 'recall', { total: messages, filtered });
    const { user, system } = process.cpuUsage(started);
    if (turn >= warmUp) times.push((user + system) / 1000 / messages);
  }
  const value = median(times);
  const detail = `${(value * 1000).toFixed(0)} µs a message, of ${messages}; the newest ${thread} are looked past`;
  return { name: 'metadata of a message', value, unit: 'ms', goal: 2, detail };
}
