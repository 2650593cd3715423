import assert from 'node:assert/strict';
import { shellWord } from '../../../src/agents/shared/describe.ts';

/** Scripts, and how Codex 0.169.0 printed them after `/bin/bash -lc`. */
const printed: readonly (readonly [script: string, word: string])[] = [
  ['true', 'true'],
  ['', `''`],
  ['echo "double" $HOME', `'echo "double" $HOME'`],
  ["echo 'single' plain", `"echo 'single' plain"`],
  [String.raw`echo back\slash`, String.raw`"echo back\\slash"`],
  [String.raw`printf 'a\n' "x"`, String.raw`"printf 'a\\n' \"x\""`],
  ["echo it's $HOME", `"echo it's "'$HOME'`],
  ["echo `date` it's !bang", `'echo \`date\` it'"'s "'!bang'`],
  [String.raw`grep '^a\b' f | sed 's/x$/y/'`, String.raw`"grep '"'^a'"\\b' f | sed 's/x"'$/y/'"'"`],
  ['^start', `'^start'`],
];

describe('a word for a shell', () => {
  for (const [script, word] of printed)
    it(`is quoted as Codex does: ${script}`, () => {
      assert.equal(shellWord(script), word);
    });
});
