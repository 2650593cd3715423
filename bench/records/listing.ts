import { writeFile } from 'node:fs/promises';
import { RecordStore } from '../../src/engine/record/recordStore.ts';
import { serializeRecordLine } from '../../src/formats/record.ts';
import { aSession, temporaryStore, wholeSession } from '../../test/support/sessions/records.ts';
import { compare, type Row } from '../harness.ts';

/** Listing sessions reads only both ends of each record, so long records cost as much as short ones. */
export async function listing(sessions = 200, turns = 9): Promise<Row[]> {
  const [long, short] = [await listed(sessions, 1000), await listed(sessions, 20)];
  try {
    const { ratio, subject, baseline } = await compare(long.list, short.list, turns);
    const detail = `${subject.toFixed(0)} ms with 1,000 entries each, ${baseline.toFixed(0)} ms with 20`;
    return [
      { name: `record: list of ${sessions} long sessions, against short`, value: ratio, unit: '×', goal: 2, detail },
      { name: `record: list of ${sessions} sessions`, value: subject, unit: 'ms', goal: 300, detail: 'the long ones' },
    ];
  } finally {
    await Promise.all([long.remove(), short.remove()]);
  }
}

async function listed(
  sessions: number,
  entries: number,
): Promise<{ readonly list: () => Promise<void>; readonly remove: () => Promise<void> }> {
  const { dir, store, remove } = await temporaryStore();
  for (let index = 0; index < sessions; index += 1) {
    const id = `ses_${index.toString(16).padStart(12, '0')}`;
    await (await store.create(aSession({ session_id: id }))).close();
    const text = wholeSession(entries, id).map((line) => `${serializeRecordLine(line)}\n`);
    await writeFile(store.path(id), text.join(''));
  }
  const list = async (): Promise<void> => {
    // A new store without a cache.
    const { length } = await new RecordStore(dir, { clock: Date.now, log: { warn: () => undefined } }).list();
    if (length !== sessions) throw new Error(`${length} of ${sessions} sessions were listed`);
  };
  return { list, remove };
}
