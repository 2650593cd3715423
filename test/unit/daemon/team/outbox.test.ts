import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Outbox } from '../../../../src/daemon/team/outbox.ts';
import { OutboxFiles, type OutboxState } from '../../../../src/daemon/team/outboxFile.ts';
import { Redactor } from '../../../../src/formats/redaction/redactor.ts';
import type { Database } from '../../../../src/team/database/connection.ts';
import { TeamError } from '../../../../src/team/errors.ts';
import { firstHead } from '../../../../src/team/records/maskedLines.ts';
import { aSummary } from '../../../support/sessions/records.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { until } from '../../../support/until.ts';

const id = 'ses_000000000001';

/** Can be full. */
class Files extends OutboxFiles {
  full = 0;

  override async write(of: string, state: OutboxState): Promise<void> {
    if (this.full > 0) {
      this.full -= 1;
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    }
    await super.write(of, state);
  }
}

describe('the outbox of a team', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'outbox-'));
    writeFileSync(path.join(folder, 'record.jsonl'), '{"kind":"header"}\n{"kind":"decision"}\n');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const refusals = {
    'a login that is refused for now': new TeamError('login', 'No.', ''),
    'a database that is being migrated': new TeamError('schema', 'No.', ''),
    'lines that do not follow': new TeamError('conflict', 'No.', ''),
  };
  for (const [what, refusal] of Object.entries(refusals)) {
    it(`sends a session after ${what}, also with a full disk at that moment`, async () => {
      const files = new Files(path.join(folder, 'outbox'));
      const sent: string[] = [];
      let refused = 0;
      const query = (text: string, values: unknown[]): Promise<{ rows: unknown[] }> => {
        const appends = text.includes('append_lines');
        if (appends && refused === 0) {
          refused += 1;
          // A decision that is to be written down finds no space.
          files.full = 1;
          return Promise.reject(refusal);
        }
        if (appends) sent.push(...(values[2] as string[]));
        return Promise.resolve({ rows: [{ lines: sent.length, head: firstHead }] });
      };
      const outbox = new Outbox({
        ...{ files, hostname: 'host', isConnected: () => true, redactor: () => new Redactor(() => '') },
        use: (work) => work({ query } as unknown as Database),
        recordPath: () => path.join(folder, 'record.jsonl'),
        summary: () => Promise.resolve(aSummary({ session_id: id, status: 'finished' })),
        log: silentLog,
      });
      await outbox.share(id, 'records', 'person');
      await until('its lines', () => sent.length === 2);
      await until('its state', async () => (await files.read(id))?.lines === 2);
      assert.equal((await files.read(id))?.refused, null);
      assert.deepEqual([refused, files.full], [1, 0]);
      await outbox.close();
    });
  }
});
