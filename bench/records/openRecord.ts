import { writeFile } from 'node:fs/promises';
import { serializeRecordLine } from '../../src/formats/record.ts';
import { aSession, temporaryStore, wholeSession } from '../../test/support/sessions/records.ts';
import { compare, type Row } from '../harness.ts';

const page = 50;

/** Opening a session and reading its last page: 100,000 entries compared with 100. */
export async function openRecord(turns = 25): Promise<Row> {
  const { store, remove } = await temporaryStore();
  const sizes = new Map<string, number>();

  const write = async (id: string, entries: number): Promise<void> => {
    await (await store.create(aSession({ session_id: id }))).close();
    const text = wholeSession(entries, id).map((line) => `${serializeRecordLine(line)}\n`);
    await writeFile(store.path(id), text.join(''));
    sizes.set(id, entries);
  };

  // A single opening is too short to measure.
  const openings = 20;
  const open = async (id: string): Promise<void> => {
    for (let opening = 0; opening < openings; opening += 1) {
      const reader = await store.openReader(id);
      const entries = await reader.read(reader.total - page, reader.total);
      if (reader.total !== sizes.get(id) || entries.length !== page) throw new Error(`not all of ${id} was read`);
      await reader.close();
    }
  };

  const [long, short] = ['ses_00000000aaaa', 'ses_00000000bbbb'];
  try {
    await write(long, 100_000);
    await write(short, 100);
    const { ratio, subject, baseline } = await compare(
      () => open(long),
      () => open(short),
      turns,
    );
    const perOpening = (time: number): string => (time / openings).toFixed(2);
    const detail = `${perOpening(subject)} ms with 100,000 entries, ${perOpening(baseline)} ms with 100`;
    return { name: 'record: first page, 100,000 entries / 100', value: ratio, unit: '×', goal: 1.5, detail };
  } finally {
    await remove();
  }
}
