import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A repository of a user with uncommitted, staged, stashed, untracked and ignored work. */
export class UserRepository {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'User');
    this.git('config', 'user.email', 'user@example.org');
    this.write('story.txt', 'one\ntwo\nthree\nfour\nfive\n');
    this.write('.gitignore', 'node_modules/\n');
    this.git('add', '.');
    this.git('commit', '-q', '-m', 'first');
    this.write('story.txt', 'stashed\n');
    this.git('stash', '-q');
    this.write('staged.txt', 'staged\n');
    this.git('add', 'staged.txt');
    this.write('story.txt', 'one\ntwo\nthree\nfour\nfive\nmine\n');
    this.write('notes.txt', 'untracked\n');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.folder, name), text);
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), 'utf8');
  }

  /** Everything of the user: files, index, stash, branches and HEAD. Two states are equal if nothing changed. */
  state(): object {
    const all = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    const files = all.filter((file) => file.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
    const own = files.map((file) => path.relative(this.folder, file)).filter((file) => !/^[.]git[\\/]/.test(file));
    return {
      files: Object.fromEntries(own.map((name) => [name, this.read(name)])),
      index: createHash('sha256')
        .update(readFileSync(path.join(this.folder, '.git/index')))
        .digest('hex'),
      stash: this.git('stash', 'list', '--format=%H'),
      head: this.git('rev-parse', 'HEAD', 'main'),
      branch: this.git('symbolic-ref', 'HEAD'),
    };
  }

  /** What races have left: worktrees, branches and refs, and git's own entries of worktrees. */
  leftovers(): object {
    const entries = path.join(this.folder, '.git/worktrees');
    let names: string[] = [];
    try {
      names = readdirSync(entries);
    } catch {
      // git removes the folder with its last entry.
    }
    return {
      worktrees: this.git('worktree', 'list', '--porcelain').split('\n\n').filter(Boolean).length - 1,
      branches: this.git('for-each-ref', '--format=%(refname)', 'refs/heads/vitrine', 'refs/vitrine'),
      entries: names,
    };
  }
}

export const noLeftovers = { worktrees: 0, branches: '', entries: [] };
