import assert from 'node:assert/strict';
import { endsWithQuestion } from '../../../../src/insight/followUps/question.ts';
import { repeatTo } from '../../../support/hostile/growing.ts';

describe('whether a text ends with a question', () => {
  for (const text of [
    'Which one?',
    'Shall I? ',
    '**Shall I?**',
    'Is it "that"?)',
    'お茶？',
    'Which?\n\n1. Green\n2. Black',
    'Which?\n- a\n- b\n',
    'Shall I go on? 😊',
    'Shall I go on? 👍🏽 🇩🇪',
    'Shall I go on?!',
    'Shall I go on?\u200b',
    'Shall I? (y/n)',
    'Proceed? [Y/n]',
    'Mach ich das? (ja / nein / später):',
    'Meinst du „das?“',
    'Meinst du »das?«',
    'これでいいですか？」',
    '好的吗？）',
    'Շարունակե՞մ։',
    'Συνέχεια;',
    'ቀጥል፧',
    'Soll ich?\n\n---',
    'Soll ich?\n* * *',
    'What I did.\n\n### Shall I go on?',
    '## Next\n\nWhich?\n\n**A)** x\n**B)** y',
    'Some words.\n\n**Which?**\n**1.** x\n**2.** y',
    'Which?\n1) a\n   more about a\n\n   and more\n2) b',
    'Which one?\r\n\r\n1. a\r\n2. b\r\n',
    'Shall I run this?\n```bash\nnpm test\n```',
    'Run this:\n```npm test```\nShall I go on?',
    'Which one?\n\n## Answers\n- a\n- b',
    'Rename it to `name`?',
    'Have you seen https://x.org/docs?',
    `Shall I?\n- ${'a '.repeat(1000)}`,
  ]) {
    it(`sees a question in ${JSON.stringify(text)}`, () => assert.equal(endsWithQuestion(text), true));
  }
  for (const text of [
    '',
    'Done.',
    'Why? Because.',
    'What I did:\n- this\n- that',
    '?'.padStart(3, 'x ') + ' no',
    'Replaced `||` with `??`',
    'Done:\n- made `name` optional: `name?`',
    'See https://x.org/?',
    '## What changed?\n- Renamed foo\n- Fixed bar',
    '## What changed?\n\nRenamed foo.',
    '```\nwhat is it?\n```',
    `\`\`\`\n${'what is it?\n'.repeat(1000)}`,
    'Why? (I asked myself.)',
    'Done. (a/b)',
    '続けますか。',
  ]) {
    it(`sees none in ${JSON.stringify(text)}`, () => assert.equal(endsWithQuestion(text), false));
  }
  for (const piece of [
    '?',
    '`',
    '`a',
    '? ',
    '!',
    '- ',
    '* ',
    '(a/',
    '```\n',
    '```a`\n',
    '\n',
    ' \n',
    'https://',
    '1. ',
    '՞',
    '#',
  ]) {
    it(`takes a long text of ${JSON.stringify(piece)}`, () => {
      endsWithQuestion(repeatTo(piece, 5_000_000));
      endsWithQuestion(`${repeatTo(piece, 5_000_000)}x`);
    });
  }
});
