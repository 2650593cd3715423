import { parentPort, workerData } from 'node:worker_threads';
import { createMessageConnection, PortMessageReader, PortMessageWriter } from 'vscode-jsonrpc/node';
import type { Log } from '../../engine/api.ts';
import { Catalogue } from '../../engine/catalogue/catalogue.ts';
import { StoredFacts } from '../../engine/catalogue/storedFacts.ts';
import { RecordStore } from '../../engine/record/recordStore.ts';
import { SessionSearch } from '../../engine/search/sessionSearch.ts';
import type { SourcesChange } from '../../engine/sources/sources.ts';
import { loadPrices } from '../../insight/prices/prices.ts';
import { isObject } from '../../model/text/json.ts';
import { IdleGarbage } from '../idleGarbage.ts';
import { BackgroundIndex } from './backgroundIndex.ts';
import { indexCalls, indexNotifications, indexCommands, indexReports } from './messages.ts';
import { WatchedPlaces } from './watchedPlaces.ts';

/** Maximum sessions per message to the daemon: copies of thousands at once would take as much memory as the list itself. */
const sessionsPerPart = 250;

/** The indexing thread of a daemon: reads the stores of agents and writes the catalogue, so that clients never wait for it. */
export function serveIndexing(): void {
  const data: unknown = workerData;
  const storeDir = isObject(data) ? data['storeDir'] : undefined;
  if (parentPort === null || typeof storeDir !== 'string') throw new Error('This is not a thread of the daemon.');
  const connection = createMessageConnection(new PortMessageReader(parentPort), new PortMessageWriter(parentPort));
  const send = (level: keyof Log, message: string): void =>
    void connection.sendNotification(indexNotifications.log, { level, message });
  const log: Log = {
    debug: (message) => send('debug', message),
    info: (message) => send('info', message),
    warn: (message) => send('warn', message),
    error: (message) => send('error', message),
  };
  let written: unknown;
  const prices = () => loadPrices(written);
  const catalogue = new Catalogue(storeDir);
  /** Changes are reported in order. */
  let lastReport: Promise<void> = Promise.resolve();
  const report = async (key: string, change: SourcesChange): Promise<void> => {
    // A failed connection has ended with the daemon.
    for (const part of partsOf(change)) {
      await connection.sendRequest(indexReports.changed, { key, ...part }).catch(() => undefined);
    }
  };
  const places = new WatchedPlaces({
    cache: new StoredFacts(catalogue, log),
    prices,
    log,
    onChange: (key, change) => {
      lastReport = lastReport.then(() => report(key, change));
      index.scheduleUpdate();
    },
    onPaths: (key, paths) => void connection.sendNotification(indexNotifications.paths, { key, paths }),
  });
  const store = new RecordStore(storeDir, { clock: Date.now, log });
  const search = new SessionSearch(catalogue, {
    store,
    sources: places,
    isWatched: true,
    urgent: () => places.pendingScans(),
    prices,
    log,
  });
  const index = new BackgroundIndex({
    search,
    log,
    garbage: new IdleGarbage(),
    onProgress: (progress) => void connection.sendNotification(indexNotifications.progress, { progress }),
  });
  connection.onRequest(indexCalls.watch, async ({ place, known }) => {
    // What an earlier watch reported must not replace newer rows.
    await lastReport;
    const rows = await places.watch(place, known);
    index.scheduleUpdate();
    return rows;
  });
  connection.onRequest(indexCalls.list, ({ place }) => places.sessionsAt(place).list());
  connection.onRequest(indexCalls.find, ({ place, id }) => places.find(place, id));
  connection.onRequest(
    indexCalls.history,
    async ({ place, id }) => (await places.sessionsAt(place).history(id)) ?? null,
  );
  connection.onRequest(indexCalls.update, ({ sessions }) => index.update(sessions));
  connection.onNotification(indexCommands.unwatch, ({ place }) => places.unwatch(place));
  connection.onNotification(indexCommands.recordsChanged, () => index.scheduleUpdate());
  connection.onNotification(indexCommands.prices, (params) => {
    written = params.written;
  });
  connection.listen();
}

/** The daemon handles other messages between the parts of a long list. */
function* partsOf({ changed, removed }: SourcesChange): Generator<SourcesChange> {
  yield { changed: changed.slice(0, sessionsPerPart), removed };
  for (let from = sessionsPerPart; from < changed.length; from += sessionsPerPart) {
    yield { changed: changed.slice(from, from + sessionsPerPart), removed: [] };
  }
}
