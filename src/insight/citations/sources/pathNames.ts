import type { LineRange } from '../types.ts';

/** Extensions that identify a file without a folder. */
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

/** Files without an extension, or that consist of one. */
const plainNames = new Set(
  'makefile dockerfile containerfile jenkinsfile vagrantfile procfile gemfile rakefile brewfile justfile license licence copying notice codeowners authors'.split(
    ' ',
  ),
);

/** Ordinary words that look like file names. */
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
  /** Without a folder, only the extension identifies a file. */
  readonly isBare: boolean;
}

const longest = 400;
const suffix =
  /(?::L?(\d{1,7})(?:[-–]L?(\d{1,7})|:\d{1,7}(?:-\d{1,7})?)?(?:,L?\d{1,7}(?:[-–]L?\d{1,7})?){0,9}|#L(\d{1,7})(?:C\d{1,5})?(?:[-:]L?(\d{1,7})(?:C\d{1,5})?)?|\((\d{1,7})(?:,\d{1,7})?\))$/;

/**
 * A word as a path with lines: `a.ts:3`, `a.ts:3-5`, `a.ts:3:7`, `a.ts#L3-L5`, `a.ts(3,7)`; the first of several ranges.
 * Otherwise `undefined`.
 */
export function namedPath(word: string): NamedPath | undefined {
  if (word.length > longest || word.length < 3) return undefined;
  const found = suffix.exec(word);
  const path = found === null ? word : word.slice(0, found.index);
  if (!isPath(path)) return undefined;
  const isBare = !/[\\/]/.test(path);
  const [, plain, plainLast, ofLink, linkLast, ofCompiler] = found ?? [];
  // Names that end with a number.
  if (ofCompiler !== undefined && isBare && (isMember(path) || /\.\w$/.test(path))) return undefined;
  const first = Number(plain ?? ofLink ?? ofCompiler ?? 0);
  if (first === 0) return { path, isBare };
  return { path, isBare, lines: [first, Math.max(first, Number(plainLast ?? linkLast ?? first))] };
}

/** The target of a link as a path; decodes percent encoding and `file:` URLs. */
export function linkedPath(target: string): NamedPath | undefined {
  return namedPath(decodePath(withoutScheme(target)));
}

/** Words with spaces that name one file: `docs/guide one.md`. A program followed by a file does not. */
export function pathWithSpaces(words: string): NamedPath | undefined {
  const [first = '', ...others] = words.split(' ');
  const isOne = first.includes('/') && others.every((word) => /^[\w().,#:&+-]+$/.test(word) && !word.startsWith('-'));
  return isOne && namedPath(first) === undefined ? namedPath(words) : undefined;
}

/** Extensions that are also common member names, such as `map`; below, those of them that are source files. */
const members = new Set(
  'map sum lock log env el spec service zip diff patch conf po mod move cmd less snap sol key d s m h r v c go fs pl pm'.split(
    ' ',
  ),
);
const sources = new Set('d s m h r v c go fs pl pm'.split(' '));
const owners =
  /^(?:this|self|super|window|document|console|process|array|object|string|number|math|promise|np|pd|os|sys)\./i;
const lockFiles =
  /^(?:go\.(?:sum|mod)|(?:yarn|cargo|poetry|gemfile|composer|uv|bun|flake|pipfile|mix|pdm|deno|podfile|pubspec)\.lock)$/i;

/** Whether a name without a folder may be a member of an object: `items.map`. `said`: reported as read or changed. */
export function isMember(name: string, said = false): boolean {
  if (name.startsWith('.') || lockFiles.test(name) || /\.(?:[mc]?[jt]s|css)\.map$/.test(name)) return false;
  if (owners.test(name)) return true;
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return members.has(ending) && !(said && sources.has(ending));
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
  if (/^\.env(?:\.[\w-]+)*$|^\.\w+(?:rc|ignore|attributes)$/.test(name)) return true;
  if (dot === 0) return folder || extensions.has(ending);
  if (!/^[a-z][a-z0-9]{0,11}$/.test(ending)) return false;
  return extensions.has(ending) || (folder && /[\\/]/.test(path.slice(1)) && !looksLikeHost(path));
}

/** `example.com/page.x`: a URL without its scheme. */
function looksLikeHost(path: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|edu|gov|de|fr|uk|cn|jp)\//i.test(path);
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** With `/`, without leading `./`, and relative to `workDir` if inside it; drive letters ignore case. */
export function normalPath(path: string, workDir: string): string {
  const plain = composeUnicode(path.startsWith('file://') ? decodePath(withoutScheme(path)) : path).replaceAll(
    '\\',
    '/',
  );
  const folder = composeUnicode(workDir).replaceAll('\\', '/').replace(/\/+$/, '');
  const isIn = folder !== '' && lowercaseDrive(plain).startsWith(`${lowercaseDrive(folder)}/`);
  return (isIn ? plain.slice(folder.length + 1) : plain).replace(/^(?:\.\/)+/, '');
}

/** Some systems decompose accented letters into two characters. */
function composeUnicode(path: string): string {
  return asciiOnly.test(path) ? path : path.normalize('NFC');
}

const asciiOnly = /^\p{ASCII}*$/u;

function lowercaseDrive(path: string): string {
  return /^[A-Z]:/.test(path) ? path.charAt(0).toLowerCase() + path.slice(1) : path;
}

/** `file:///C:/a.ts` is `C:/a.ts`. */
function withoutScheme(path: string): string {
  return path.replace(/^file:\/\/(?:localhost(?=\/))?(?:\/(?=[A-Za-z]:))?/, '');
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
