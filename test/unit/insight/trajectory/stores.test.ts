import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { storeFormats } from '../../../../src/agents/stores/formats.ts';
import { ObservedTurns } from '../../../../src/engine/sources/following/turns.ts';
import { sessionPhases, RequestWaits } from '../../../../src/insight/trajectory/runTimes.ts';
import { Trajectory } from '../../../../src/insight/trajectory/steps.ts';
import { runPhases } from '../../../../src/model/session/phases.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { readHome } from '../../../support/stores/readHome.ts';

const root = path.resolve('test/fixtures/stores');

/** Not by the agent, such as that the user interrupted it or that the conversation was compacted. */
const isNote = ({ kind }: NormalizedEntry['type']): boolean => kind === 'system_message' || kind === 'user_message';

/** Time from each prompt to the end of the last answer or call before the next one. */
function durationOf(entries: readonly NormalizedEntry[], starts: readonly number[]): number {
  return starts.reduce((sum, start, at) => {
    const own = entries.slice(start, starts[at + 1]);
    const times = own.flatMap(({ timestamp, type }, place) => [
      ...(place > 0 && isNote(type) ? [] : [timestamp]),
      ...(type.kind === 'tool_use' ? [type.tool.startedAt, type.tool.endedAt] : []),
    ]);
    const known = times.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
    return sum + Math.max(...known) - Date.parse(own[0]?.timestamp ?? '');
  }, 0);
}

describe('time of sessions that other programs stored', function () {
  this.timeout(60_000);

  it('adds up to the time between each prompt and its last answer', async () => {
    let [checked, resumed] = [0, 0];
    const found: string[] = [];
    for (const format of storeFormats) {
      for (const version of readdirSync(root).filter((name) => name.startsWith(format.agent))) {
        for (const name of readdirSync(path.join(root, version))) {
          for (const { session, entries } of await readHome(format, path.join(root, version, name, 'home'))) {
            const [trajectory, waits, observedTurns] = [new Trajectory(), new RequestWaits(), new ObservedTurns()];
            for (const entry of entries) {
              observedTurns.add(entry);
              trajectory.add(entry, observedTurns.all('completed').length);
            }
            const turns = observedTurns.all('completed');
            const last = entries.findLast(({ type }) => !isNote(type));
            const now = Date.parse((last ?? entries[0])?.timestamp ?? '');
            const { sums } = sessionPhases(trajectory.rows(), turns, waits, now);
            const parts = runPhases.reduce((sum, phase) => sum + sums[phase], 0);
            const duration = durationOf(
              entries,
              turns.map(({ firstIndex }) => firstIndex),
            );
            checked += 1;
            if (turns.length > 1) resumed += 1;
            if (Math.abs(parts - duration) > duration / 100 || parts !== sums.total)
              found.push(`${version}/${name}, ${session}: ${JSON.stringify(sums)} of ${duration} in ${turns.length}`);
          }
        }
      }
    }
    assert.deepEqual(found, []);
    assert.ok(checked >= 30 && resumed >= 5, `${checked}, ${resumed}`);
  });
});
