import assert from 'node:assert/strict';
import { Lexer, walkTokens } from 'marked';
import { inertText, literalText, visibleText } from '../../../../src/vscode/text/inertText.ts';
import { payloads } from '../../../support/hostile/payloads.ts';

/** What VS Code makes links of in a message, and icons in a label. */
const linked = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+/i;
const icon = /\$\([a-z0-9~-]+\)/i;
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('text of a session for VS Code itself', () => {
  for (const { name, text } of payloads) {
    it(`contains no links, icons or invisible characters in messages and lists: ${name}`, () => {
      const inert = inertText(text);
      assert.doesNotMatch(inert, linked);
      assert.doesNotMatch(inert, icon);
      assert.doesNotMatch(inert, unseen);
      assert.equal(inertText(inert), inert);
    });

    it(`is plain text in a hover: ${name}`, () => {
      const tokens = new Lexer({ gfm: true }).lex(literalText(visibleText(text).slice(0, 300)));
      const kinds = new Set<string>();
      void walkTokens(tokens, ({ type }) => void kinds.add(type));
      for (const kind of kinds) assert.ok(['paragraph', 'text', 'escape', 'space', 'br'].includes(kind), kind);
    });
  }
});
