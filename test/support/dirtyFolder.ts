import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** A change of a made-up workspace. Numbers pick files and contents. */
export interface FolderChange {
  readonly kind: 'write' | 'delete' | 'rename' | 'mode' | 'link' | 'stage' | 'commit' | 'folder' | 'rules';
  readonly file: number;
  readonly other: number;
  readonly content: number;
}

const names = [
  'a.txt',
  'src/b.ts',
  'src/deep/c.ts',
  'with space/ü\n.md',
  'notes.log',
  'build/out.bin',
  'x',
  'x/y',
  'sub/inner.txt',
  'run.sh',
  '.hidden',
  'src/deep',
];
const contents = [
  Buffer.from('one\ntwo\n'),
  Buffer.from('one\r\ntwo\r\n'),
  Buffer.from('no newline'),
  Buffer.from([0, 1, 2, 255, 254, 10, 13]),
  Buffer.from(''),
  Buffer.from('\uFEFF$Id$ text\n'),
  Buffer.from('x'.repeat(70_000)),
];
const modes = [0o644, 0o755, 0o600, 0o700, 0o444, 0o640];
const ruleTexts = ['*.log\nbuild/\n', '*.log\n', 'build/\nsrc/deep/\n', ''];

/** Applies a change where it makes sense. `git`: runs git in the folder, if it is a repository. */
export function changeFolder(
  folder: string,
  { kind, file, other, content }: FolderChange,
  git?: (...args: string[]) => void,
): void {
  const name = names[file % names.length] ?? '';
  const place = path.join(folder, name);
  const isPlain = statsOf(place)?.isFile() === true;
  switch (kind) {
    case 'write':
      return put(folder, name, () => writeFileSync(place, contents[content % contents.length] ?? ''));
    case 'link':
      return put(folder, name, () => symlinkSync(['a.txt', '/outside', '../up', 'missing'][content % 4] ?? '', place));
    case 'delete':
      return rmSync(place, { force: true, recursive: true });
    case 'mode':
      if (isPlain) chmodSync(place, modes[content % modes.length] ?? 0o644);
      return;
    case 'rename': {
      const target = names[other % names.length] ?? '';
      if (!isPlain || `${target}/`.startsWith(`${name}/`) || name.startsWith(`${target}/`)) return;
      return put(folder, target, () => renameSync(place, path.join(folder, target)));
    }
    case 'folder':
      if (!existsSync(place)) put(folder, name, () => mkdirSync(place));
      return;
    case 'rules':
      return writeFileSync(path.join(folder, '.gitignore'), ruleTexts[content % ruleTexts.length] ?? '');
    case 'stage':
      return git?.('add', '-A');
    case 'commit':
      return git?.('commit', '-qam', 'more', '--allow-empty');
  }
}

/** `undefined` if nothing is there. */
function statsOf(place: string): Stats | undefined {
  try {
    return lstatSync(place);
  } catch {
    return undefined;
  }
}

/** Makes room for a file: what is at its place, or is no folder above it, is deleted. */
function put(folder: string, name: string, make: () => void): void {
  const parts = name.split('/');
  for (const at of parts.keys()) {
    const place = path.join(folder, ...parts.slice(0, at + 1));
    const stats = statsOf(place);
    if (stats !== undefined && (at === parts.length - 1 || !stats.isDirectory()))
      rmSync(place, { recursive: true, force: true });
  }
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  make();
}

/** All files below a folder, without those of git itself. */
export function stateOfFolder(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  const visit = (inside: string): void => {
    for (const entry of readdirSync(path.join(folder, inside), { withFileTypes: true })) {
      const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
      const place = path.join(folder, name);
      if (entry.name === '.git') continue;
      if (entry.isDirectory()) visit(name);
      else if (entry.isSymbolicLink()) files.set(name, `link ${readlinkSync(place)}`);
      else files.set(name, `${(lstatSync(place).mode & 0o7777).toString(8)} ${readFileSync(place).toString('base64')}`);
    }
  };
  visit('');
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Hash of everything in the folder's repository. */
export function repositoryHash(folder: string): string {
  const hash = createHash('sha256');
  const visit = (place: string): void => {
    for (const entry of readdirSync(place, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(place, entry.name);
      hash.update(`${file}\0`);
      if (entry.isDirectory()) visit(file);
      else hash.update(readFileSync(file));
    }
  };
  if (existsSync(path.join(folder, '.git'))) visit(path.join(folder, '.git'));
  return hash.digest('hex');
}
