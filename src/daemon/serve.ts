import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { adapters } from '../agents/registry.ts';
import type { Log } from '../engine/api.ts';
import { Catalogue } from '../engine/catalogue/catalogue.ts';
import { newestObserved } from '../engine/catalogue/observedRows.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineDeps } from '../engine/engineDeps.ts';
import { randomHex } from '../engine/ids.ts';
import { loadPrices } from '../insight/prices/prices.ts';
import { daemonProtocol } from '../protocol/daemon/version.ts';
import { newEndpoint, publishEndpoint, removeEndpoint } from '../transport/endpoint.ts';
import { daemonBlueprints } from './sessions/blueprints.ts';
import { Clients } from './clients/clients.ts';
import { ClientContexts } from './clients/contexts.ts';
import { FollowUpPlanner } from './followUps/planner.ts';
import { IndexThread } from './indexing/indexThread.ts';
import { indexCalls, indexCommands } from './indexing/messages.ts';
import { Lifetime } from './lifetime.ts';
import { logUnhandledRejections, openLog } from './logFile.ts';
import { NewsSource } from './clients/news.ts';
import type { DaemonOptions } from './options.ts';
import { JoinedSessions } from './joining/joinedSessions.ts';
import { OtherDaemons } from './otherVersions/otherDaemons.ts';
import { RunQueue } from './queue/runQueue.ts';
import { IdleGarbage } from './idleGarbage.ts';
import { RaceCalls } from './sessions/races.ts';
import { RunningSessions } from './sessions/runningSessions.ts';
import { DaemonServer } from './server.ts';
import { DaemonService } from './service.ts';
import { ObservedSources } from './sources/observedSources.ts';
import { recordedSessions } from './sources/recordedSessions.ts';
import { SharedQueue } from './team/runs/sharedQueue.ts';
import { TeamMembership } from './team/teamMembership.ts';

/** Maximum time that clients wait for the cleanup after an earlier daemon, in ms. */
const sweepMs = 1000;

/** Serves the store until the daemon is idle or stopped. The caller has the lease of the folder. */
export async function serve(folder: string, options: DaemonOptions): Promise<void> {
  const { storeDir, demoDir, version, file, onReady } = options;
  const log = openLog(folder, () => new Date());
  const rejections = logUnhandledRejections(log);
  const contexts = new ClientContexts();
  let exit = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    exit = resolve;
  });
  const lifetime = new Lifetime(() => exit());
  const clients = new Clients({
    onClientCount: (count) => lifetime.setClients(count),
    onStopRuns: () => {
      log.info('The last window has closed: stopping all runs.');
      for (const { id } of running.all()) void engine.stop(id).catch((error: unknown) => log.error(String(error)));
    },
  });
  const blueprints = daemonBlueprints({
    contexts,
    input: (name, agent) => clients.input(name, agent),
    onUndeliveredCallbacks: ({ session_id }, failure) => news.reportUndelivered(session_id, failure),
  });
  const garbage = new IdleGarbage();
  let runs = 0;
  let isIndexing = false;
  const setTasks = (): void => garbage.setTasks(runs + (isIndexing ? 1 : 0));
  const thread = new IndexThread({
    folder,
    file,
    storeDir,
    prices: () => contexts.settings(undefined).prices,
    onProgress: (progress) => {
      isIndexing = progress !== null;
      setTasks();
      news.indexing(progress);
    },
    log,
  });
  const catalogue = new Catalogue(storeDir);
  const engineDeps: EngineDeps = {
    storeDir,
    catalogue,
    catalogueOwner: { update: ({ sessions }) => thread.request(indexCalls.update, { sessions }) },
    observedUsage: () => sources.usage(),
    onObservedUsage: (listener) => sources.onUsage(listener),
    onLimitsChanged: (listener) => contexts.onChange(listener),
    demoDir,
    version,
    clock: Date.now,
    randomHex,
    // Agents get the environment of the client that requested the run, and nothing of the daemon's own.
    environment: {},
    settings: (where) => contexts.settings(where),
    log,
    adapters,
    blueprints,
    childRuns: {
      list: (run) => queue.children.list(run),
      tags: (parent) => queue.children.tags(parent),
      findRunner: (run) => queue.children.findRunner(run),
      queue: (run) => queue.children.queue(run),
      cancel: (id) => queue.children.cancel(id),
    },
    copyFiles: true,
    interactive: true,
    presence: clients,
    // Someone can connect at any time and answer.
    timing: { requestMs: Number.POSITIVE_INFINITY },
  };
  const engine = new Engine(engineDeps);
  const running = new RunningSessions(engine, log, (count) => {
    runs = count;
    lifetime.setRuns(runs);
    setTasks();
  });
  const news = new NewsSource(engine);
  engine.onSummary(() => thread.notify(indexCommands.recordsChanged, {}));
  const joinedSessions = new JoinedSessions(log);
  const sources: ObservedSources = new ObservedSources({
    thread,
    saved: (most) => catalogue.use((database) => newestObserved(database, most)).catch(() => []),
    joinedSessions,
    own: recordedSessions(engine),
    engine,
    onCopied: (summary) => news.summaryChanged(summary),
    prices: () => loadPrices(contexts.settings(undefined).prices),
    log,
  });
  const followUps = new FollowUpPlanner({
    engine,
    blueprints,
    contexts,
    log,
    isRetiring: () => lifetime.isRetiring,
    onChange: (state) => news.followUps(state),
    onRefused: (id, failure) => news.reportUndelivered(id, failure),
  });
  const team = new TeamMembership({
    storeDir,
    engine,
    openMirror: (folder) => new Engine(mirrorDeps(engineDeps, folder)),
    contexts,
    environment: process.env,
    randomHex,
    onChange: () => news.queueChanged(),
    onShared: (summary) => news.summaryChanged(summary),
    // A child of an agent here keeps its record here.
    onSharedRemoved: (id) => {
      if (!existsSync(engine.recordPath(id))) news.removed(id);
    },
    onChildCount: (count) => lifetime.setRemote(count),
    onChildShown: (id) => clients.renew(id),
    onOwnShare: (id, share) => news.shareChanged(id, share),
    log,
  });
  team.onRun((run) => news.run(run));
  const queue: RunQueue = new RunQueue({
    storeDir,
    engine,
    blueprints,
    contexts,
    log,
    isConnected: (client) => clients.describe(client) !== undefined,
    onRun: (run) => news.run(run),
    isOfTeam: (runId) => team.queue.has(runId),
    withTeam: (local) => new SharedQueue(local, team),
    teamChildren: team.children,
    onWaitingCount: (count) => lifetime.setQueuedRuns(count),
    onRunnersChanged: () => news.queueChanged(),
  });
  const races = new RaceCalls({ engine, storeDir, contexts, clients, lifetime, randomHex, log });
  const others = new OtherDaemons({
    storeDir,
    version,
    engine,
    isPresent: () => clients.isPresent(),
    onSummary: (summary) => news.summaryChanged(summary),
    onRun: (id) => clients.renew(id),
    log,
  });
  const since = new Date().toISOString();
  const service = new DaemonService({
    engine,
    followUps,
    contexts,
    clients,
    running,
    sources,
    joinedSessions,
    news,
    queue,
    races,
    thread,
    team,
    others,
    lifetime,
    log,
    version,
    since,
  });
  const endpoint = await newEndpoint(folder);
  const server = await DaemonServer.listen(endpoint, service, log);
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const stop = (signal: NodeJS.Signals): void => {
    log.info(`${signal}: stopping all runs.`);
    lifetime.retire('now');
  };
  for (const signal of signals) process.on(signal, stop);
  try {
    log.info(`Vitrine ${version} serves ${storeDir} (pid ${process.pid}, protocol ${daemonProtocol}).`);
    // Agents of a crashed daemon are stopped before clients are served, unless that takes long.
    await Promise.race([endLeftoverAgents(engine, log), delay(sweepMs, undefined, { ref: false })]);
    await publishEndpoint(folder, endpoint);
    onReady();
    void others.begin();
    await ended;
  } finally {
    await removeEndpoint(folder, endpoint);
    sources.dispose();
    others.dispose();
    await thread.dispose();
    followUps.dispose();
    // The queue takes no more, and records how the stopped runs end.
    const queueClosed = queue.close();
    const racesClosed = races.races.close();
    await engine.dispose("Vitrine's background process was asked to stop.");
    await queueClosed;
    await racesClosed;
    await team.close();
    await server.close();
    for (const signal of signals) process.off(signal, stop);
    rejections.dispose();
    log.info('The daemon has stopped.');
  }
}

/** Dependencies for copies of other members' sessions, which are only read, never counted or started here. */
function mirrorDeps(
  { clock, randomHex, environment, demoDir, adapters, log }: EngineDeps,
  storeDir: string,
): EngineDeps {
  return { storeDir, clock, randomHex, environment, demoDir, adapters, log, settings: () => ({}) };
}

async function endLeftoverAgents(engine: Engine, log: Log): Promise<void> {
  try {
    const { interrupted, ended } = await engine.sweep();
    if (interrupted.length + ended.length > 0)
      log.info(
        `Interrupted sessions: ${interrupted.length}. Processes of an earlier daemon that were stopped: ${ended.length}.`,
      );
  } catch (error) {
    log.error(`Could not clean up after an earlier daemon: ${String(error)}`);
  }
}
