import * as assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { writeLines } from '../../../../src/cli/print/output.ts';
import { TerminalText } from '../../../../src/cli/print/terminalText.ts';

const attacks = [
  '\u001b[2J',
  '\u001b]52;c;cm0gLXJm\u0007',
  '\u001b]8;;https://a.test\u001b\\link\u001b]8;;\u001b\\',
  '\u001bP1;2q\u001b\\',
  '\u009b31m',
  '\u009d0;title\u009c',
  '\b\b\bok',
  'a\rb',
  '\u007f',
  '\u202etxt.exe',
  '\u2066a\u2069',
  '\u{e0041}\u200b',
];
const raw = /(?!\n)[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

describe('output of the command line', () => {
  it('contains no terminal escape sequences in text', () => {
    for (const attack of attacks) {
      const exact = new PassThrough({ encoding: 'utf8' });
      new TerminalText(exact).write(`before ${attack} after\n`);
      const printed = String(exact.read());
      assert.ok(!raw.test(printed), JSON.stringify(printed));
      assert.ok(printed.startsWith('before ') && printed.endsWith(' after\n'));
    }
  });

  it('contains no control characters in JSON, which parses to the same values', async () => {
    const exact = new PassThrough({ encoding: 'utf8' });
    await writeLines(new TerminalText(exact), attacks);
    const printed = String(exact.read());
    assert.ok(!raw.test(printed), printed);
    assert.deepEqual(
      printed
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
      attacks,
    );
  });

  it('ends with its reader', () => {
    const exact = new PassThrough();
    const text = new TerminalText(exact);
    exact.destroy();
    return new Promise<void>((resolve) => {
      text.once('close', resolve);
    });
  });
});
