import type { LineRange } from './types.ts';

/** Endings that make a word without a folder a file. */
const extensions = new Set(
  (
    'ts tsx mts cts js jsx mjs cjs json jsonc json5 jsonl ndjson html htm css scss sass less vue svelte astro md mdx markdown rst txt ' +
    'adoc tex csv tsv xml xsd yml yaml toml ini cfg conf env lock log sql graphql gql proto thrift py pyi pyx ipynb rb erb ' +
    'rake gemspec php phtml java kt kts groovy gradle scala sbt clj cljs go mod sum rs c h cc cpp cxx hpp hh m mm swift cs ' +
    'fs vb fsx csproj sln dart lua pl pm r jl hs ml mli ex exs erl elm nim zig v sv vhd sh bash zsh fish ps1 bat cmd awk ' +
    'tf tfvars hcl nix dockerfile makefile cmake mk png jpg jpeg gif svg webp ico pdf zip tar gz wasm map snap diff patch ' +
    'svh tsbuildinfo editorconfig gitignore npmrc babelrc prettierrc eslintrc vsix plist xib storyboard po pot hbs ejs pug ' +
    'njk liquid twig blade spec service sol move cairo wat asm s d pas f90 vim el lisp rkt scm tcl bzl bazel'
  ).split(' '),
);

/** Files that have no ending, or are nothing but one. */
const plainNames = new Set(
  'makefile dockerfile containerfile jenkinsfile vagrantfile procfile gemfile rakefile brewfile justfile license licence copying notice codeowners authors'.split(
    ' ',
  ),
);

/** Things of people, not of a session: said with an ending that files have. */
const notFiles = new Set(
  (
    'node.js next.js nuxt.js vue.js react.js express.js three.js d3.js chart.js ember.js backbone.js alpine.js solid.js nest.js ' +
    'p5.js discord.js tensorflow.js angular.js knockout.js moment.js anime.js matter.js console.log process.env import.meta.env ' +
    'res.json response.json req.json request.json resp.json asp.net socket.io deno.land math.log logger.log os.env this.map array.map'
  ).split(' '),
);

export interface NamedPath {
  readonly path: string;
  readonly lines?: LineRange;
  /** No folder, so that only the ending says that it is a file. */
  readonly bare: boolean;
}

const longest = 400;
const suffix = /(?::(\d{1,7})(?:[-–](\d{1,7})|:\d{1,7}(?:-\d{1,7})?)?|#L(\d{1,7})(?:C\d{1,5})?(?:-L?(\d{1,7}))?)$/;

/** A word as a path with lines (`a.ts:3`, `a.ts:3-5`, `a.ts:3:7`, `a.ts#L3-L5`); `undefined` where it is none. */
export function namedPath(word: string): NamedPath | undefined {
  if (word.length > longest || word.length < 3) return undefined;
  const found = suffix.exec(word);
  const path = found === null ? word : word.slice(0, found.index);
  if (!isPath(path)) return undefined;
  const bare = !/[\\/]/.test(path);
  const first = Number(found?.[1] ?? found?.[3] ?? 0);
  if (first === 0) return { path, bare };
  const last = Number(found?.[2] ?? found?.[4] ?? first);
  return { path, bare, lines: [first, Math.max(first, last)] };
}

function isPath(path: string): boolean {
  if (/::|\/\/|[*?"<>|]|(?<!\[)\.\.\.|…/.test(path) || /^[\d./\\:-]+$/.test(path)) return false;
  if (/:/.test(path.replace(/^[A-Za-z]:(?=[\\/])/, ''))) return false;
  const name = baseName(path).toLowerCase();
  const folder = path.length > name.length;
  if (plainNames.has(name)) return folder || /^[A-Z]/.test(path);
  if (notFiles.has(name)) return folder;
  const dot = name.lastIndexOf('.');
  if (dot === -1 || dot === name.length - 1) return false;
  const ending = name.slice(dot + 1);
  if (dot === 0) return folder || extensions.has(ending);
  if (!/^[a-z][a-z0-9]{0,11}$/.test(ending)) return false;
  return extensions.has(ending) || (folder && /[\\/]/.test(path.slice(1)) && !looksLikeHost(path));
}

/** `example.com/page.x`: an address without its scheme. */
function looksLikeHost(path: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|edu|gov|de|fr|uk|cn|jp)\//i.test(path);
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** With `/`, without `./` in front, and relative to `workDir` where it lies in it. */
export function normalPath(path: string, workDir: string): string {
  const plain = path.replaceAll('\\', '/').replace(/^file:\/\//, '');
  const folder = workDir.replaceAll('\\', '/').replace(/\/+$/, '');
  const own = folder !== '' && plain.startsWith(`${folder}/`) ? plain.slice(folder.length + 1) : plain;
  return own.replace(/^(?:\.\/)+/, '');
}
