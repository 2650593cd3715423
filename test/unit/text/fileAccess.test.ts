import assert from 'node:assert/strict';
import { decideFileAccess, isReachedLocally, type FileSystemView } from '../../../src/text/fileAccess.ts';
import { isUnsafePath } from '../../../src/text/unsafePath.ts';
import { linkTarget } from '../../../webview/markdown/targets.ts';

/** A file system of links only, which remembers every path that someone looked at. */
class Files implements FileSystemView {
  readonly touched: string[] = [];
  readonly isWindows: boolean;
  readonly folders: readonly string[];
  readonly #links: ReadonlyMap<string, string>;

  constructor(isWindows: boolean, links: Readonly<Record<string, string>> = {}) {
    this.isWindows = isWindows;
    this.folders = isWindows ? ['C:\\ws', 'D:\\other'] : ['/home/u/ws', '/home/u/other'];
    const [folder = ''] = this.folders;
    const separator = isWindows ? '\\' : '/';
    this.#links = new Map(Object.entries(links).map(([name, to]) => [`${folder}${separator}${name}`, to]));
  }

  readonly lstat = (path: string) => {
    this.touched.push(path);
    return Promise.resolve(this.#links.has(path) ? ('link' as const) : ('other' as const));
  };

  readonly readlink = (path: string) => {
    this.touched.push(path);
    return Promise.resolve(this.#links.get(path) ?? '');
  };

  decide(name: string, base = this.folders[0]) {
    return decideFileAccess(base, name, this);
  }

  assertInside(name: string): void {
    const inside = this.isWindows ? /^(?:C:\\ws|D:\\other)(?:\\|$)/i : /^\/home\/u\/(?:ws|other)(?:\/|$)/;
    for (const path of this.touched) {
      const names = path.split(this.isWindows ? /[\\/]/ : '/');
      assert.ok(inside.test(path) && !names.includes('..'), `${name} touched ${path}`);
    }
  }
}

const unsafePaths = [
  '\\\\host\\share',
  '//host/share',
  '\\/host/share',
  '/\\host\\share',
  '\\\\?\\C:\\x',
  '\\\\?\\UNC\\host\\share',
  '\\\\.\\pipe\\x',
  '//./COM1',
  '//?/UNC/host/share',
  '\\??\\UNC\\host\\share',
  '///host/share',
  '  \\\\host\\share',
  '\uff0f\uff0fhost/share',
  '\uff3c\uff3chost\\share',
  'C:a.txt',
  'c:..\\a.txt',
  'C:\\\\host\\share',
  'NUL',
  'src/con',
  'COM1',
  'COM\u00b9',
  'lpt9:',
  'aux .',
  'CONIN$',
  'a\0b',
];

describe('an unsafe path', () => {
  it('is unsafe on every system', () => {
    for (const path of unsafePaths)
      for (const isWindows of [false, true]) assert.ok(isUnsafePath(path, isWindows), JSON.stringify(path));
  });

  it('is unsafe on Windows only', () => {
    for (const path of [
      'a.txt:stream',
      'a.txt::$DATA',
      'C:\\a:b',
      'src/nul.txt',
      'com1.tar.gz',
      'src/.. /x',
      'src/.../x',
    ])
      assert.deepEqual([isUnsafePath(path), isUnsafePath(path, true)], [false, true], path);
  });

  it('is not an ordinary name', () => {
    for (const path of [
      'src/a.ts',
      '/etc/hosts',
      'C:\\a\\b.ts',
      'c:/a',
      '../a',
      'console.ts',
      'nullable/con.d.ts',
      '.',
      '',
    ])
      assert.equal(isUnsafePath(path), false, path);
    assert.equal(isUnsafePath('C:\\a\\b.ts', true), false);
    assert.equal(isUnsafePath('logs/12:30:01.txt'), false);
  });
});

describe('access to a file that a session names', () => {
  it('is allowed inside of the workspace, and needs confirmation elsewhere', async () => {
    const posix: [string, unknown][] = [
      ['src/a.ts', { kind: 'open', path: '/home/u/ws/src/a.ts' }],
      ['./src//../b.ts', { kind: 'open', path: '/home/u/ws/b.ts' }],
      ['logs/12:30.txt', { kind: 'open', path: '/home/u/ws/logs/12:30.txt' }],
      ['../other/x', { kind: 'open', path: '/home/u/other/x' }],
      ['../ws2/x', { kind: 'ask', path: '/home/u/ws2/x' }],
      ['/etc/passwd', { kind: 'ask', path: '/etc/passwd' }],
      ['a/../../../../../etc/passwd', { kind: 'ask', path: '/etc/passwd' }],
    ];
    const windows: [string, unknown][] = [
      ['src/a.ts', { kind: 'open', path: 'C:\\ws\\src\\a.ts' }],
      ['c:/WS/a.ts', { kind: 'open', path: 'c:\\WS\\a.ts' }],
      ['D:\\other\\a', { kind: 'open', path: 'D:\\other\\a' }],
      ['\\Windows\\win.ini', { kind: 'ask', path: 'C:\\Windows\\win.ini' }],
      ['..\\x', { kind: 'ask', path: 'C:\\x' }],
      ['a.txt:stream', { kind: 'refuse' }],
    ];
    for (const [isWindows, cases] of [[false, posix] as const, [true, windows] as const]) {
      for (const [name, expected] of cases) {
        const files = new Files(isWindows);
        assert.deepEqual(await files.decide(name), expected, name);
        files.assertInside(name);
      }
    }
  });

  it('is refused for unsafe paths and bases, without access', async () => {
    for (const isWindows of [false, true]) {
      const files = new Files(isWindows);
      for (const path of unsafePaths) {
        assert.deepEqual(await files.decide(path), { kind: 'refuse' }, JSON.stringify(path));
        assert.deepEqual(await files.decide('src/a.ts', path), { kind: 'refuse' }, JSON.stringify(path));
      }
      assert.deepEqual(await files.decide('/x', undefined), { kind: 'ask', path: isWindows ? 'C:\\x' : '/x' });
      assert.deepEqual(await decideFileAccess(undefined, 'x', files), { kind: 'refuse' });
      assert.deepEqual(files.touched, []);
    }
    const onHost = new Files(true);
    assert.deepEqual(await onHost.decide('\\x', '\\\\host\\share'), { kind: 'refuse' });
  });

  it('follows links name by name, and no further than the workspace', async () => {
    const posix: [string, string, unknown][] = [
      ['sub', 'src', { kind: 'open', path: '/home/u/ws/l/a' }],
      ['absolute', '/home/u/ws/src', { kind: 'open', path: '/home/u/ws/l/a' }],
      ['other folder', '/home/u/other', { kind: 'open', path: '/home/u/ws/l/a' }],
      ['root', '/', { kind: 'ask', path: '/home/u/ws/l/a', target: '/a' }],
      ['outside', '/etc', { kind: 'ask', path: '/home/u/ws/l/a', target: '/etc/a' }],
      ['up', '../../x', { kind: 'ask', path: '/home/u/ws/l/a', target: '/home/x/a' }],
      ['in and out', '/home/u/ws/../../../etc', { kind: 'ask', path: '/home/u/ws/l/a', target: '/etc/a' }],
      ['host', '//host/share', { kind: 'refuse' }],
      ['host of Windows', '\\\\host\\share', { kind: 'refuse' }],
      ['itself', 'l', { kind: 'refuse' }],
    ];
    const windows: [string, string, unknown][] = [
      ['junction', 'C:\\Users\\', { kind: 'ask', path: 'C:\\ws\\l\\a', target: 'C:\\Users\\a' }],
      ['sub', 'src', { kind: 'open', path: 'C:\\ws\\l\\a' }],
      ['absolute', 'c:\\WS\\src', { kind: 'open', path: 'C:\\ws\\l\\a' }],
      ['drive', 'E:\\', { kind: 'ask', path: 'C:\\ws\\l\\a', target: 'E:\\a' }],
      ['root', '\\x', { kind: 'ask', path: 'C:\\ws\\l\\a', target: 'C:\\x\\a' }],
      ['host', '\\\\host\\share', { kind: 'refuse' }],
      ['verbatim host', '\\\\?\\UNC\\host\\share', { kind: 'refuse' }],
      ['native host', '\\??\\UNC\\host\\share', { kind: 'refuse' }],
      ['device', 'NUL', { kind: 'refuse' }],
    ];
    for (const [isWindows, cases] of [[false, posix] as const, [true, windows] as const]) {
      for (const [name, link, expected] of cases) {
        const files = new Files(isWindows, { l: link });
        assert.deepEqual(await files.decide('l/a'), expected, name);
        files.assertInside(name);
      }
    }
    const chain = new Files(false, { l: 'm/n', 'm/n': '../k', k: '/etc' });
    assert.deepEqual(await chain.decide('l/a'), { kind: 'ask', path: '/home/u/ws/l/a', target: '/etc/a' });
    chain.assertInside('chain');
  });

  it('is refused even after confirmation if a link leads to another host', async () => {
    for (const [to, isLocal] of [
      ['D:\\x', true],
      ['\\\\host\\share', false],
    ] as const) {
      const files = new Files(true, { l: to });
      assert.equal(await isReachedLocally('C:\\ws\\l\\a', files), isLocal);
      assert.ok(files.touched.every((path) => /^[CD]:\\(?!\\)/.test(path)));
    }
    assert.equal(await isReachedLocally('\\\\host\\share', new Files(true)), false);
  });

  it('keeps 500 and more encoded links inside the workspace and on this host', async () => {
    const parts = [...unsafePaths, ...escapes];
    const links = parts.flatMap((part) => encodings.map((encode) => encode(part)));
    assert.ok(new Set(links).size >= 500, String(new Set(links).size));
    for (const link of links) {
      const target = linkTarget(link);
      if (target?.kind === 'page') assert.match(target.url, /^https?:/);
      if (target?.kind !== 'file') continue;
      for (const isWindows of [false, true]) {
        const files = new Files(isWindows);
        const access = await files.decide(target.path);
        files.assertInside(link);
        if (access.kind === 'open') assertWithin(access.path, isWindows, link);
      }
    }
  });
});

const escapes = [
  '../../secret',
  '/etc/passwd',
  'src/../../../../etc/passwd',
  '..\\..\\secret',
  'C:\\Windows\\win.ini',
  'c:/Windows/win.ini',
  'file://host/share/x',
  'file:////host/share',
  'file:\\\\host\\share',
  'src/..\\../..\\x',
  'C:\\ws\\..\\..\\x',
  './/../..//x',
  'a.txt:stream',
  'command:x',
  'smb://host/share',
];

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
const all = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const some = (text: string): string => text.replaceAll(/[\\/:.?\0]/g, hex);
const encodings: readonly ((text: string) => string)[] = [
  (text) => text,
  some,
  (text) => some(text).toUpperCase(),
  all,
  (text) => some(some(text)),
  (text) => all(all(text)),
  (text) => some(text).replaceAll('%', '%25'),
  (text) => text.replaceAll('\\', '%5C'),
  (text) => text.replaceAll('/', '%2f'),
  (text) => text.replaceAll('/', '%c0%af').replaceAll('\\', '%c1%9c'),
  (text) => text.replaceAll('/', '%5C'),
  (text) => text.replaceAll('\\', '/'),
  (text) => `%20${some(text)}`,
  (text) => `${some(text)}#L3`,
  (text) => `${text}:3:4`,
  (text) => `%09${text}`,
  (text) => `src/%2e%2e/${some(text)}`,
  (text) => `${some(text)}%3A7`,
  (text) => text.replaceAll('\\', '%2F').toUpperCase(),
];

function assertWithin(path: string, isWindows: boolean, link: string): void {
  const inside = isWindows ? /^(?:c:\\ws|d:\\other)(?:\\|$)/i : /^\/home\/u\/(?:ws|other)(?:\/|$)/;
  assert.ok(inside.test(path) && !path.split(isWindows ? /[\\/]/ : '/').includes('..'), `${link} opens ${path}`);
  assert.ok(!isUnsafePath(path, isWindows), `${link} opens ${path}`);
}
