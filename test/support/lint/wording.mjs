/** Fails on the phrases and names that `wording.json` rules out (see `docs/development/wording.md`): `node test/support/lint/wording.mjs [FOLDER]`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const list = 'test/support/lint/wording.json';
const checked = /^(?:(?:src|webview|test|bench|docs|l10n)\/|[^/]+$).*\.(?:ts|mjs|md|json)$/;
/** Recordings contain other authors' texts. The changelog has former names. The guide and its list contain what they rule out. */
const exempt =
  /^(?:test\/fixtures\/|test\/golden\/[^/]+\/|package-lock\.json$|CHANGELOG\.md$|docs\/development\/wording\.md$|test\/support\/lint\/wording\.json$)/;

/** @param {Record<string, string>} replacements */
const pairs = (replacements) => Object.entries(replacements).map(([not, but]) => ({ not, but }));

/**
 * What is ruled out, each with what to write instead.
 * @param {string} text
 */
export function readRules(text) {
  const { phrases, names } = JSON.parse(text);
  return { phrases: pairs(phrases), names: pairs(names) };
}

/** @param {string} text */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
/** @param {string} text @param {number} at */
const edge = (text, at) => (/\w/.test(text.at(at) ?? '') ? String.raw`\b` : '');

/**
 * Problems in one file, each with its line.
 * @param {string} file
 * @param {string} text
 * @param {ReturnType<typeof readRules>} rules
 * @returns {string[]}
 */
export function problemsIn(file, text, { phrases, names }) {
  /** @type {string[]} */
  const problems = [];
  const report = (at, not, but) =>
    problems.push(`${file}:${text.slice(0, at).split('\n').length} "${not}": write "${but}", or rephrase`);
  for (const { not, but } of phrases) {
    // A comment may continue on the next line.
    const words = not
      .split(' ')
      .map(escaped)
      .join(String.raw`(?:\s|\*|//)+`);
    for (const { index } of text.matchAll(new RegExp(`${edge(not, 0)}${words}${edge(not, -1)}`, 'gi'))) {
      report(index, not, but);
    }
  }
  const replacements = new Map(names.map(({ not, but }) => [not.toLowerCase(), but]));
  const [stem = ''] = path.posix.basename(file).split('.');
  if (replacements.has(stem.toLowerCase())) report(0, stem, replacements.get(stem.toLowerCase()) ?? '');
  if (file.endsWith('.ts')) {
    for (const { name, at } of declaredNames(file, text)) {
      const but = replacements.get(name.replace(/^#/, '').toLowerCase());
      if (but !== undefined) report(at, name, but);
    }
  }
  return problems;
}

/**
 * Names of variables, functions, types and private members. Fields are left out: often a format or a schema names them.
 * @param {string} file
 * @param {string} text
 */
function declaredNames(file, text) {
  /** @type {{ name: string, at: number }[]} */
  const found = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isDeclared =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node);
    const isMember = ts.isPropertyDeclaration(node) || ts.isMethodDeclaration(node);
    const { name } = /** @type {ts.NamedDeclaration} */ (node);
    if (name !== undefined && ((isDeclared && ts.isIdentifier(name)) || (isMember && ts.isPrivateIdentifier(name)))) {
      found.push({ name: name.text, at: name.getStart(source) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** @param {string} folder */
function main(folder) {
  const rules = readRules(readFileSync(path.join(folder, list), 'utf8'));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: folder, encoding: 'utf8' });
  const problems = files
    .split('\n')
    .filter((file) => checked.test(file) && !exempt.test(file))
    .flatMap((file) => problemsIn(file, readFileSync(path.join(folder, file), 'utf8'), rules));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] === import.meta.filename) main(process.argv[2] ?? process.cwd());
