/**
 * Builds everything: `node esbuild.mjs [--production] [--clean] [--watch] [--tests [SUITE…]]`.
 * Host and CLI share one split bundle, so that what they load with `import()` costs nothing at activation.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import subsetFont from 'subset-font';
import { mergeChunks } from './.esbuild/mergeChunks.mjs';

const flags = new Set(process.argv.slice(2));
const suites = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const production = flags.has('--production');
const root = import.meta.dirname;

/** Bundled CommonJS packages still call `require` for Node's own modules, which an ES module does not have. */
const requireBanner =
  "import{createRequire as vitrineCreateRequire}from'node:module';const require=vitrineCreateRequire(import.meta.url);";

const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  splitting: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
  logLevel: 'warning',
  legalComments: 'none',
};

const external = ['vscode', 'node-sqlite3-wasm'];
const merge = { root, entry: 'dist/extension.js', editor: 'vscode', banner: requireBanner, external };

const host = {
  ...common,
  // Source maps would no longer match.
  plugins: production ? [mergeChunks(merge)] : [],
  entryPoints: [
    { in: 'src/extension.ts', out: 'extension' },
    { in: 'src/cli/main.ts', out: 'cli' },
    { in: 'src/daemon/main.ts', out: 'daemon' },
  ],
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  target: 'node20',
  external,
  banner: { js: requireBanner },
};

/** Tells documents which chunks a page cannot start without, so that they are fetched beside it and not after it. */
const preload = {
  name: 'preload',
  setup({ onEnd }) {
    onEnd(async ({ metafile }) => {
      if (metafile === undefined) return;
      const chunks = {};
      for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
        if (entryPoint === undefined || !file.endsWith('.js')) continue;
        const files = new Set([file]);
        for (const each of files) {
          for (const { path: chunk, kind } of metafile.outputs[each].imports) {
            if (kind === 'import-statement') files.add(chunk);
          }
        }
        chunks[path.basename(file, '.js')] = [...files].slice(1).map((each) => path.basename(each));
      }
      await writeFile(path.join(root, 'dist/webview/preload.json'), JSON.stringify(chunks));
    });
  },
};

const page = {
  ...common,
  plugins: [preload],
  entryPoints: [
    { in: 'webview/main.ts', out: 'main' },
    { in: 'webview/toolkit.ts', out: 'toolkit' },
    { in: 'webview/styles/main.css', out: 'main' },
    { in: 'webview/usage/main.ts', out: 'usage' },
    { in: 'webview/styles/usage.css', out: 'usage' },
    { in: 'webview/report/main.ts', out: 'report' },
    { in: 'webview/styles/report.css', out: 'report' },
  ],
  outdir: 'dist/webview',
  chunkNames: '[name]-[hash]',
  platform: 'browser',
  target: 'es2022',
  external: ['*.ttf'],
};

/** The codicons that the page names, as a font in the style sheet: an exported page can load nothing. */
const exportedIcons = {
  name: 'exported icons',
  setup(build) {
    const namespace = 'icons';
    build.onResolve({ filter: /^exported-icons\.css$/ }, () => ({ path: 'exported-icons.css', namespace }));
    build.onLoad({ filter: /./, namespace }, async () => {
      const folder = path.join(root, 'node_modules/@vscode/codicons/dist');
      const [css, font] = await Promise.all([
        readFile(path.join(folder, 'codicon.css'), 'utf8'),
        readFile(path.join(folder, 'codicon.ttf')),
      ]);
      const sources = await Promise.all(
        (await filesUnder('webview', '.ts')).map((file) => readFile(path.join(root, file), 'utf8')),
      );
      const words = new Set(
        sources.flatMap((text) => text.replaceAll('codicon-', ' ').match(/[a-z][a-z0-9-]+/g) ?? []),
      );
      const rule = /^\.codicon-([a-z0-9-]+):before \{ content: "\\([0-9a-f]+)" \}$/gm;
      const all = [...css.matchAll(rule)];
      const used = all.filter(([, name]) => words.has(name));
      const text = used.map(([, , code]) => String.fromCodePoint(Number.parseInt(code, 16))).join('');
      const small = await subsetFont(font, text, { targetFormat: 'woff2' });
      const rules = css.replace(rule, '').replace(/src: url\([^)]*\) format\("truetype"\)/, () => {
        return `src: url("data:font/woff2;base64,${small.toString('base64')}") format("woff2")`;
      });
      return { contents: [rules, ...used.map(([each]) => each)].join('\n'), loader: 'css' };
    });
  },
};

/**
 * `exported.html`: the page that exports write their data into, at `<!--session-->`. Its script and style are packed, which a
 * quarter of their size is enough for, and named by their hashes in the page's policy, so that nothing else can run.
 */
const exportedPage = {
  name: 'exported page',
  setup({ onEnd }) {
    onEnd(async ({ outputFiles = [] }) => {
      const textOf = (ending) => outputFiles.find(({ path: file }) => file.endsWith(ending))?.text ?? '';
      const [script, style] = [textOf('.js'), textOf('.css')];
      if (script === '' || style === '') return;
      const packed = (text) => gzipSync(text, { level: 9 }).toString('base64');
      const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
      const policy = [
        "default-src 'none'",
        `script-src ${hash(unpack)} ${hash(script)}`,
        `style-src ${hash(style)}`,
        'font-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ');
      const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><!--title--></title>
</head>
<body>
<div id="app"></div>
<noscript>This page shows a session with the script that it contains. Allow scripts for it.</noscript>
<!--session-->
<script type="text/plain" data-packed="style">${packed(style)}</script>
<script type="text/plain" data-packed="script">${packed(script)}</script>
<script>${unpack}</script>
</body>
</html>
`;
      await mkdir(path.join(root, 'dist/webview'), { recursive: true });
      await writeFile(path.join(root, 'dist/webview/exported.html'), page);
    });
  },
};

const unpack = `(async () => {
for (const kind of ['style', 'script']) {
const packed = document.querySelector('[data-packed=' + kind + ']').textContent;
const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
const element = document.createElement(kind);
element.textContent = await new Response(unpacked).text();
document.head.append(element);
}
})();`;

/** One script and one style sheet. */
const exported = {
  ...common,
  splitting: false,
  format: 'iife',
  sourcemap: false,
  minify: true,
  plugins: [exportedIcons, exportedPage],
  write: false,
  entryPoints: [
    { in: 'webview/exported/main.ts', out: 'exported' },
    { in: 'webview/styles/exported.css', out: 'exported' },
  ],
  outdir: 'dist/webview',
  platform: 'browser',
  target: 'es2022',
};

async function filesUnder(folder, ending) {
  const names = await readdir(path.join(root, folder), { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name.split(path.sep).join('/')}`);
}

/** Each test file (of `suites`, if named) on its own path under dist/test, packages taken from node_modules. */
async function tests() {
  const wanted = (file) => suites.length === 0 || suites.some((suite) => file.startsWith(`test/${suite}/`));
  const files = (await filesUnder('test', '.test.ts')).filter(wanted);
  const bench = suites.length === 0 || suites.includes('bench') ? await filesUnder('bench', 'main.ts') : [];
  return {
    ...common,
    entryPoints: [...files, ...bench, 'test/extension/index.ts', 'docs/examples/sample-extension/extension.ts'],
    outbase: '.',
    outdir: 'dist',
    chunkNames: 'test/chunks/[name]-[hash]',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    minify: false,
    sourcemap: 'inline',
  };
}

function report(metafile) {
  for (const [file, { bytes, entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint !== undefined && !file.endsWith('.map')) {
      console.log(`${file.padEnd(28)} ${(bytes / 1000).toFixed(1).padStart(8)} kB`);
    }
  }
}

async function build(name, options) {
  if (flags.has('--watch')) {
    const context = await esbuild.context({ ...options, logLevel: 'info' });
    await context.watch();
    return;
  }
  const { metafile } = await esbuild.build(options);
  await mkdir(path.join(root, 'dist/meta'), { recursive: true });
  await writeFile(path.join(root, `dist/meta/${name}.json`), JSON.stringify(metafile));
  if (name !== 'tests') report(metafile);
}

async function copyCodicons() {
  await mkdir(path.join(root, 'dist/webview'), { recursive: true });
  for (const file of ['codicon.css', 'codicon.ttf']) {
    await cp(path.join(root, 'node_modules/@vscode/codicons/dist', file), path.join(root, 'dist/webview', file));
  }
}

/** Finds the WebAssembly file beside itself, so it is copied and not bundled: Node looks for packages beside `dist/chunks` too. */
async function copySqlite() {
  const name = 'node_modules/node-sqlite3-wasm';
  for (const file of ['package.json', 'LICENSE', 'dist/node-sqlite3-wasm.js', 'dist/node-sqlite3-wasm.wasm']) {
    await cp(path.join(root, name, file), path.join(root, 'dist', name, file));
  }
}

// Chunks carry a hash in their name, so earlier ones stay beside new ones until `--clean`, as a running host needs them.
if (flags.has('--clean')) {
  const product = ['extension.js', 'cli.js', 'daemon.js', 'chunks', 'node_modules', 'webview'];
  await Promise.all(product.map((each) => rm(path.join(root, 'dist', each), { recursive: true, force: true })));
}
if (flags.has('--tests')) {
  await build('tests', await tests());
} else {
  await Promise.all([
    build('host', host),
    build('page', page),
    build('exported', exported),
    copyCodicons(),
    copySqlite(),
  ]);
}
