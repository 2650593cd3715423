import assert from 'node:assert/strict';
import { entryText } from '../../../src/cli/print/entryText.ts';
import { exportFormats } from '../../../src/formats/export/formats.ts';
import { exportText } from '../../support/sessions/exported.ts';
import {
  findBrokenValues,
  findNoise,
  recordedSessions,
  type RecordedSession,
} from '../../support/captures/recordedSession.ts';
import { englishNumbers } from '../../../src/text/numberFormat.ts';

describe('figures of recorded sessions', function () {
  this.timeout(240_000);
  let sessions: readonly RecordedSession[];
  before(async () => (sessions = await recordedSessions()));

  it('have no floating-point noise in readable exports and on the command line', async () => {
    assert.ok(sessions.length >= 300, String(sessions.length));
    const found: string[] = [];
    for (const { name, printed, entries, source } of sessions) {
      const texts = await Promise.all(['markdown', 'csv'].map((format) => exportText(format, source)));
      for (const text of [...texts, ...entries.map(entryText)]) {
        found.push(...findNoise(text, printed).map((noise) => `${name}: ${noise}`));
      }
    }
    assert.deepEqual(found, []);
  });

  it('are numbers in every format that programs read', async () => {
    const found: string[] = [];
    const formats = exportFormats.map(({ id }) => id).filter((id) => !['html', 'markdown', 'csv'].includes(id));
    for (const { name, printed, source } of sessions) {
      for (const format of formats) {
        const wrong = findBrokenValues(await exportText(format, source), printed);
        found.push(...wrong.map((broken) => `${name}, ${format}: ${broken}`));
      }
    }
    assert.deepEqual(found, []);
  });

  it('of money are the same wherever they appear', async () => {
    for (const { name, result, source } of sessions) {
      const total = result?.totalCostProvenance;
      if (total === undefined || total.provenance === 'unknown') continue;
      const shown = englishNumbers.money(total.usd);
      assert.ok(
        (await exportText('markdown', source)).includes(
          `| Cost | ${total.provenance === 'reported' ? '' : 'about '}${shown.replace('<', '\\<')}`,
        ),
        `${name} ${shown}`,
      );
    }
  });
});
