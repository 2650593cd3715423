import { setTimeout as delay } from 'node:timers/promises';
import type { DaemonConnection } from '../../client/connection.ts';
import { isRaceOver, type Race } from '../../model/race/race.ts';
import { quoteSafely } from '../../model/text/visibleText.ts';
import type { GivenParams } from '../../protocol/daemon/calls.ts';
import type { CliContext } from '../command.ts';
import { withDaemonErrors } from '../run/daemon.ts';

const waitMs = 20_000;

/** Follows a race until it ends. Ctrl-C stops it. `null`: the terminal was closed; the race continues. */
export async function followRace(context: CliContext, daemon: DaemonConnection, started: Race): Promise<Race | null> {
  const { race_id } = started;
  let interrupts = 0;
  let resolveHangup = (): void => undefined;
  const whenHungUp = new Promise<null>((resolve) => (resolveHangup = () => resolve(null)));
  const stopListening = context.onInterrupt((cause) => {
    interrupts += 1;
    if (cause === 'hangup' || interrupts > 1) resolveHangup();
    else void daemon.call('stopRace', { race_id }).catch(() => resolveHangup());
  });
  const shown = new Map<string, string>();
  let revision = 0;
  try {
    for (let race: Race = started; ;) {
      for (const line of news(race, shown)) context.stderr.write(`${line}\n`);
      if (isRaceOver(race)) return race;
      const next = await Promise.race([
        whenHungUp,
        withDaemonErrors(() => daemon.call('race', { race_id, revision, wait_ms: waitMs })),
      ]);
      if (next === null) return null;
      // A daemon that was asked to stop answers at once.
      if (next.revision === revision) await delay(100);
      ({ race, revision } = next);
    }
  } finally {
    stopListening();
  }
}

const words = {
  waiting: undefined,
  preparing: 'preparing the worktree',
  running: 'running',
  checking: 'running the check command',
  done: 'done',
  failed: 'failed',
} as const;

/** One line for each agent whose state changed. */
function* news({ lanes }: Race, shown: Map<string, string>): Generator<string> {
  for (const { name, state, error, session_id: session } of lanes) {
    const what = words[state];
    // An agent gets its session a moment after it began.
    if (what === undefined || (state === 'running' && session === undefined)) continue;
    const why = error === undefined ? '' : `: ${quoteSafely(error)}`;
    const text = `${name}: ${what}${state === 'running' ? ` (${session ?? ''})` : ''}${why}`;
    if (shown.get(name) === text) continue;
    shown.set(name, text);
    yield text;
  }
}

/** Context for calls about an existing race from a terminal. */
export function raceContext(folder: string, environment: CliContext['env']): GivenParams<'compareRace'>['context'] {
  const variables = Object.entries(environment).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { folder, trusted: true, environment: Object.fromEntries(variables), settings: {} };
}
