import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FolderWatch } from '../../src/engine/snapshot/watch.ts';
import type { NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { unreportedChangesSchema } from '../../src/model/transcript/unreported.ts';
import { silentLog } from './silentLog.ts';

/** A temporary folder, with or without git, for made-up runs. */
export class WatchedFolder {
  readonly root = mkdtempSync(path.join(tmpdir(), 'vitrine-watch-'));
  readonly folder = path.join(this.root, 'work');
  readonly environment = {
    PATH: process.env['PATH'],
    HOME: this.root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };

  constructor() {
    mkdirSync(this.folder);
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.folder,
      env: this.environment,
      encoding: 'utf8',
    });
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.folder, file)), { recursive: true });
    writeFileSync(path.join(this.folder, file), text);
  }

  repository(): this {
    this.git('init', '-q', '-b', 'main');
    this.write('.gitignore', 'ignored/\n*.log\n');
    this.write('src/a.ts', 'one\ntwo\n');
    this.write('src/b.ts', 'b\n');
    this.write('with space/ü.ts', 'x\n');
    this.git('add', '-A');
    this.git('commit', '-qm', 'first');
    return this;
  }

  watch(change: object = {}): FolderWatch {
    return new FolderWatch({ folder: this.folder, environment: this.environment, log: silentLog, ...change });
  }

  /** Changes of a run that reported `entries` and did `work`. */
  async run(entries: readonly NormalizedEntry[], work: () => void, change: object = {}): Promise<string[]> {
    const watch = this.watch(change);
    await watch.begin();
    work();
    watch.apply(entries.map((entry) => ({ op: 'put', entry })));
    const found = await watch.end();
    if (typeof found === 'string') return [found];
    unreportedChangesSchema.parse(found);
    return found.changes.map(({ kind, path: file, besides }) => `${kind} ${file}${besides === true ? ' besides' : ''}`);
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
