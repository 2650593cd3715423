import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { platformVariables } from '../../support/platform.ts';
import { turn, uuidOf, writeSession } from '../../support/stores/claudeStore.ts';

describe('vitrine attach for a session from another program', () => {
  let home = '';
  beforeEach(() => (home = mkdtempSync(path.join(tmpdir(), 'vitrine-attach-'))));
  afterEach(() => rmSync(home, { recursive: true }));

  function vitrine(...args: string[]): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  } {
    const command = [path.resolve('dist/cli.js'), ...args, '--store', path.join(home, 'own')];
    const env = { ...platformVariables, PATH: process.env['PATH'], HOME: home, USERPROFILE: home };
    return spawnSync(process.execPath, command, { env, encoding: 'utf8' });
  }

  it('says that a running one can only be watched', () => {
    const session = uuidOf(1);
    writeSession(home, session, turn(session, 1, { id: 'msg_1' }));
    const [listed] = vitrine('sessions', '--all', '--json').stdout.split('\n');
    const { session_id: id } = JSON.parse(listed ?? '') as { session_id: string };
    const isWatched = (): boolean => vitrine('attach', id).stderr.includes('you can only watch it');
    const registry = path.join(home, '.claude/sessions');
    mkdirSync(registry, { recursive: true });
    const entry = { pid: process.pid, sessionId: session, status: 'waiting', waitingFor: 'permission prompt' };
    writeFileSync(path.join(registry, `${process.pid}.json`), JSON.stringify(entry));
    assert(isWatched());
    assert.equal(vitrine('attach', id).status, 2);
    assert.match(vitrine('attach', 'ses_000000000000').stderr, /No agent is running/);
  });
});
