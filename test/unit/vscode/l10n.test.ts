import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript';
import { repository } from '../../support/host/install/cache.mjs';

const file = path.join(repository, 'l10n/bundle.l10n.json');

function sources(folder: string): string[] {
  return readdirSync(path.join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(repository, folder, name));
}

/**
 * First arguments of calls of `t`, which both host and page name so, and what the engine tags with `worded`; and calls whose
 * argument is no literal.
 */
function messages(source: string): { found: string[]; loose: string[] } {
  const tree = ts.createSourceFile(source, readFileSync(source, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const loose: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 't') {
      const [message] = node.arguments;
      if (message !== undefined && ts.isStringLiteralLike(message)) found.push(message.text);
      else loose.push(`${path.relative(repository, source)}: ${node.getText()}`);
    }
    if (isUnseen(node)) loose.push(`${path.relative(repository, source)}: ${node.getText()}`);
    if (ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'worded') {
      found.push(templateOf(node.template));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { found, loose };
}

/** `vscode.l10n.t('…')`, which no one collects. */
function isUnseen(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [message] = node.arguments;
  return node.expression.name.text === 't' && message !== undefined && ts.isStringLiteralLike(message);
}

/** As it is when it runs, with `{0}` and on for what is put in. */
function templateOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return template.templateSpans.reduce((text, { literal }, at) => `${text}{${at}}${literal.text}`, template.head.text);
}

describe('user-visible texts', () => {
  const all = ['src/vscode', 'src/engine', 'src/protocol', 'webview'].flatMap(sources).map(messages);

  it('are literals at translation calls, so that they can be collected', () => {
    assert.deepEqual(
      all.flatMap(({ loose }) => loose),
      [],
    );
  });

  it('are all in the bundle for translators (UPDATE_L10N=1 writes it)', () => {
    const sorted = [...new Set(all.flatMap(({ found }) => found))].sort();
    const wanted = `${JSON.stringify(Object.fromEntries(sorted.map((text) => [text, text])), null, 2)}\n`;
    if (process.env['UPDATE_L10N'] === '1') writeFileSync(file, wanted);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), JSON.parse(wanted));
  });

  const read = (name: string) =>
    JSON.parse(readFileSync(path.join(repository, name), 'utf8')) as Readonly<Record<string, string>>;
  /** `{0}` and the like, links to commands, and the names that settings have. */
  const fixed = (text: string): string[] =>
    (text.match(/\{\d+\}|\(command:[^)]*\)|`[^`]*`|\b(?:kind|tool|file|state):/g) ?? []).sort();

  for (const [english, german] of [
    ['l10n/bundle.l10n.json', 'l10n/bundle.l10n.de.json'],
    ['package.nls.json', 'package.nls.de.json'],
  ] as const) {
    it(`are all in German, with the same placeholders: ${german}`, () => {
      const [from, to] = [read(english), read(german)];
      const wrong = Object.entries(from).flatMap(([key, text]) => {
        const translated = to[key];
        if (translated === undefined) return [`missing: ${key}`];
        if (translated.trim() === '') return [`empty: ${key}`];
        return JSON.stringify(fixed(text)) === JSON.stringify(fixed(translated)) ? [] : [`other places: ${key}`];
      });
      const stale = Object.keys(to).filter((key) => !(key in from));
      assert.deepEqual([...wrong, ...stale.map((key) => `stale: ${key}`)], []);
    });
  }
});
