/** Writes records in a separate process until it is killed. Prints a line for each confirmed write. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { RecordLine } from '../../../src/formats/record.ts';
import { RecordBusyError, RecordNotFoundError } from '../../../src/engine/record/errors.ts';
import { RecordStore } from '../../../src/engine/record/recordStore.ts';
import { aRun, aSession, entryLine, runId } from '../sessions/records.ts';

const [mode = '', dir = '', ...ids] = process.argv.slice(2);
const store = new RecordStore(dir, { clock: Date.now, log: { warn: (message) => console.error(message) } });

function print(text: string): void {
  writeSync(1, `${text}\n`);
}

async function openOrCreate(id: string) {
  try {
    return await store.openWriter(id);
  } catch (error) {
    if (!RecordNotFoundError.is(error)) throw error;
    return await store.create(aSession({ session_id: id })).catch((failed: unknown) => {
      // Another process was first.
      if (RecordBusyError.is(failed)) throw failed;
      return store.openWriter(id);
    });
  }
}

/** Writes small lines, and occasionally one of 400 KB, until killed. */
async function writeForever(id: string): Promise<void> {
  const reader = await store.openReader(id).catch(() => null);
  const first = reader?.total ?? 0;
  await reader?.close();
  const writer = await openOrCreate(id);
  await writer.append({ kind: 'run', run: aRun({ session_id: id, first_index: first }) });
  const raw = writer.rawStream(runId, 'stdout');
  for (let index = first; ; index += 1) {
    await raw.write(Buffer.from(`${index}\n`));
    await writer.append(entryLine(index, index % 40 === 39 ? `${index} `.repeat(80_000) : undefined));
    print(String(index));
  }
}

/** Writes lines of 3 MB to a record of its own, with two alternating writers. */
async function writeLarge(own: readonly string[]): Promise<void> {
  const writers = await Promise.all(own.map(openOrCreate));
  for (let index = 0; index < 12; index += 1) {
    const line: RecordLine = entryLine(index, `${index} `.repeat(1_000_000));
    await Promise.all(writers.map((writer) => writer.append(line)));
  }
  await Promise.all(writers.map((writer) => writer.close()));
  print('written');
}

/** Takes one record, and keeps it until stdin ends. */
async function hold(id: string): Promise<void> {
  try {
    const writer = await openOrCreate(id);
    print('held');
    await once(process.stdin.resume(), 'end');
    await writer.close();
  } catch (error) {
    if (!RecordBusyError.is(error)) throw error;
    print(`busy ${error.holder?.pid ?? 0}`);
  }
}

/** Writes 200 lines with a limited file size, then once more after the limit was removed. */
async function writeLimited(id: string): Promise<void> {
  process.on('SIGXFSZ', () => undefined);
  const writer = await openOrCreate(id);
  for (let index = 0; index < 200; index += 1) await writer.append(entryLine(index));
  await writer.flush();
  print(writer.hasMemoryOnlyLines ? 'in memory' : 'written');
  await once(process.stdin.resume(), 'end');
  await writer.flush();
  print(writer.hasMemoryOnlyLines ? 'in memory' : 'written');
  await writer.close();
}

const [id = ''] = ids;
if (mode === 'forever') await writeForever(id);
else if (mode === 'large') await writeLarge(ids);
else if (mode === 'limited') await writeLimited(id);
else await hold(id);
