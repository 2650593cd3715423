/** The chunk with languages, loaded when the first code is on screen. */
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import graphql from 'highlight.js/lib/languages/graphql';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scss from 'highlight.js/lib/languages/scss';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { CodeGroup, Span } from './spans.ts';

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  graphql,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  php,
  powershell,
  python,
  ruby,
  rust,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});
lowlight.registerAlias({
  bash: ['zsh'],
  typescript: ['mts', 'cts'],
  javascript: ['mjs', 'cjs'],
  json: ['jsonl', 'jsonc'],
});

/** Spans of a text by kind; none if the language is unknown. */
export function spansOf(language: string, text: string): Span[] {
  if (!lowlight.registered(language)) return [];
  const spans: Span[] = [];
  let at = 0;
  // Deeper spans are more specific: they come later and win.
  const walk = (node: Node, group: CodeGroup | undefined): void => {
    if (node.type === 'text') {
      if (group !== undefined) spans.push({ from: at, to: at + node.value.length, group });
      at += node.value.length;
    } else if (node.type === 'element') {
      const own = groupOf(node.properties['className']);
      for (const child of node.children) walk(child, own ?? group);
    }
  };
  for (const child of lowlight.highlight(language, text).children) walk(child, undefined);
  return spans;
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

const groups: Readonly<Record<string, CodeGroup>> = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  'selector-class': 'type',
  'selector-id': 'type',
  tag: 'keyword',
  name: 'keyword',
  built_in: 'type',
  type: 'type',
  class_: 'type',
  section: 'type',
  string: 'string',
  regexp: 'string',
  char: 'string',
  symbol: 'string',
  link: 'string',
  number: 'number',
  literal: 'number',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  function_: 'name',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  addition: 'added',
  deletion: 'removed',
};

/** The library's classes are `hljs-title` and refinements such as `function_`. */
function groupOf(classes: unknown): CodeGroup | undefined {
  if (!Array.isArray(classes)) return undefined;
  const names = classes.map((name) => String(name).replace(/^hljs-/, ''));
  const known = names.findLast((name) => Object.hasOwn(groups, name));
  return known === undefined ? undefined : groups[known];
}
