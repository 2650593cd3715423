// @ts-check
/**
 * A plugin for esbuild: what an entry loads at start becomes three files instead of sixty. Splitting makes a chunk for each set of
 * entries that share modules, and Node resolves, reads and compiles each chunk by itself, which takes most of an activation.
 */
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as esbuild from 'esbuild';

/** @typedef {esbuild.Metafile['outputs']} Outputs */
/** @typedef {{ readonly name: string; readonly files: readonly string[] }} Group */

const importPattern = /import(?:\{([^{}]*)\}from)?"(\.{1,2}\/[^"]+)"/g;

/**
 * Merges the static imports of `entry` into two chunks: one that every entry can load, and one that needs a module of the
 * editor (`editor`). Files that do not call `require` lose `banner`, which creates it.
 * @param {{ root: string; entry: string; editor: string; banner: string; external: string[] }} options
 * @returns {esbuild.Plugin}
 */
export function mergeChunks({ root, entry, editor, banner, external }) {
  return {
    name: 'merge chunks',
    setup({ onEnd }) {
      onEnd(async ({ metafile, errors }) => {
        if (metafile === undefined || errors.length > 0) return;
        const { outputs } = metafile;
        await removeBanners(root, outputs, banner);
        const merged = [...staticImports(outputs, entry)].filter((file) => file !== entry);
        const isOfEditor = (/** @type {string} */ file) =>
          [...staticImports(outputs, file)].some((each) => importsExternal(outputs, each, editor));
        const shared = { name: 'shared', files: merged.filter((file) => !isOfEditor(file)) };
        const window = { name: 'window', files: merged.filter(isOfEditor) };
        // The second imports the first.
        for (const group of [shared, window]) await mergeGroup(root, outputs, group, external);
      });
    },
  };
}

/**
 * @param {string} root
 * @param {Outputs} outputs
 * @param {string} banner
 */
async function removeBanners(root, outputs, banner) {
  for (const file of scripts(outputs)) {
    const text = await readFile(path.join(root, file), 'utf8');
    const rest = text.replace(`${banner}\n`, '');
    if (/\brequire\b/.test(rest)) continue;
    await write(root, outputs, file, rest);
  }
}

/**
 * @param {string} root
 * @param {Outputs} outputs
 * @param {Group} group
 * @param {string[]} external
 */
async function mergeGroup(root, outputs, { name, files }, external) {
  if (files.length === 0) return;
  const folder = path.posix.dirname(files[0] ?? '');
  // Short names differ in each chunk, so the exports of a merged one carry its number.
  const prefixes = new Map(files.map((file, at) => [file, `m${at.toString(36)}_`]));
  const lines = files.map((file) => {
    const names = (outputs[file]?.exports ?? []).map((each) => `${each} as ${prefixes.get(file)}${each}`);
    return `export {${names.join(',')}} from ${JSON.stringify(`./${path.posix.basename(file)}`)};`;
  });
  const { outputFiles } = await esbuild.build({
    stdin: { contents: lines.join('\n'), resolveDir: path.join(root, folder) },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    external,
    plugins: [only(root, new Set(files))],
  });
  const text = outputFiles[0]?.text ?? '';
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
  const target = `${folder}/${name}-${hash}.js`;
  const imports = files.flatMap((file) => outputs[file]?.imports ?? []).filter(({ path: each }) => !prefixes.has(each));
  const inputs = Object.assign({}, ...files.map((file) => outputs[file]?.inputs));
  outputs[target] = { bytes: 0, inputs, imports, exports: [] };
  await write(root, outputs, target, text);
  for (const file of files) {
    delete outputs[file];
    await rm(path.join(root, file));
  }
  for (const file of scripts(outputs)) {
    const before = await readFile(path.join(root, file), 'utf8');
    const after = before.replace(importPattern, (statement, names, from) => {
      const prefix = prefixes.get(path.posix.join(path.posix.dirname(file), from));
      if (prefix === undefined) return statement;
      const relative = path.posix.relative(path.posix.dirname(file), target);
      const source = JSON.stringify(relative.startsWith('.') ? relative : `./${relative}`);
      return names === undefined ? `import${source}` : `import{${renamed(names, prefix)}}from${source}`;
    });
    const missed = files.find((each) => after.includes(path.posix.basename(each)));
    if (missed !== undefined) throw new Error(`${file} imports ${missed} in an unknown form`);
    if (after !== before) await write(root, outputs, file, after);
    redirect(outputs, file, new Set(files), target);
  }
}

/**
 * Names of an import, of the merged chunk instead.
 * @param {string} names
 * @param {string} prefix
 */
function renamed(names, prefix) {
  return names
    .split(',')
    .map((each) => each.split(' as '))
    .map(([name = '', local = name]) => `${prefix}${name} as ${local}`)
    .join(',');
}

/**
 * Bundles only these files; every other import stays as it is.
 * @param {string} root
 * @param {ReadonlySet<string>} files
 * @returns {esbuild.Plugin}
 */
function only(root, files) {
  return {
    name: 'only',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path: wanted, resolveDir }) => {
        const file = path.relative(root, path.resolve(resolveDir, wanted)).split(path.sep).join('/');
        return files.has(file) ? null : { path: wanted, external: true };
      });
    },
  };
}

/**
 * In esbuild's description, the imports of `file` from any of `files` become one of `target`.
 * @param {Outputs} outputs
 * @param {string} file
 * @param {ReadonlySet<string>} files
 * @param {string} target
 */
function redirect(outputs, file, files, target) {
  const output = outputs[file];
  if (output === undefined || !output.imports.some((each) => files.has(each.path))) return;
  const others = output.imports.filter((each) => !files.has(each.path));
  output.imports = [...others, { path: target, kind: 'import-statement' }];
}

/**
 * The file and all files that it loads at start.
 * @param {Outputs} outputs
 * @param {string} start
 */
function staticImports(outputs, start) {
  const files = new Set([start]);
  for (const file of files)
    for (const { path: target, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && target in outputs) files.add(target);
  return files;
}

/**
 * @param {Outputs} outputs
 * @param {string} file
 * @param {string} name
 */
function importsExternal(outputs, file, name) {
  return outputs[file]?.imports.some((each) => each.external === true && each.path === name) === true;
}

/** @param {Outputs} outputs */
function scripts(outputs) {
  return Object.keys(outputs).filter((file) => file.endsWith('.js'));
}

/**
 * @param {string} root
 * @param {Outputs} outputs
 * @param {string} file
 * @param {string} text
 */
async function write(root, outputs, file, text) {
  await writeFile(path.join(root, file), text);
  const output = outputs[file];
  if (output !== undefined) output.bytes = Buffer.byteLength(text);
}
