import { type Step, text, thinking, tool, type Usage } from '../models/scripts/scenario.ts';

/** One turn of the demo: the user's prompt and the model's answers. */
export interface Turn {
  readonly prompt: string;
  readonly steps: readonly Step[];
}

export const title = 'A table of four pays too much';

/** Prints the bills of tables with three, four and five guests for the same four cups. */
const bills = `node --input-type=module -e "
import { format, total } from './src/bill.js';
const cups = Array(4).fill('oolong');
for (const guests of [3, 4, 5]) console.log(guests, 'guests:', format(total(cups, guests)));
"`;

const edge = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/bill.js';

const cups = (count) => Array(count).fill('sencha');

test('a table of three pays the full price', () => {
  assert.equal(total(cups(3), 3), 1140);
});

test('a table of four gets ten percent off', () => {
  assert.equal(total(cups(4), 4), 1368);
});

test('the guests count, not the cups', () => {
  assert.equal(total(cups(8), 3), 3040);
});
`;

/** The cache grows by the previous turn, as with the real API. */
const usage = (cacheRead: number, cacheWrite: number, output: number): Usage => ({
  input_tokens: 4,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
});

/** The sample workspace documents a discount for "four or more" guests, but gives it to more than four only. */
export function createStory(folder: string): readonly Turn[] {
  const bill = `${folder}/src/bill.js`;
  const plan = (statuses: readonly ('pending' | 'in_progress' | 'completed')[]) =>
    tool('TodoWrite', {
      todos: [
        ['Write test/discount.test.js', 'Writing test/discount.test.js'],
        ['See it fail without the fix', 'Seeing it fail without the fix'],
        ['Run all tests', 'Running all tests'],
      ].map(([content, activeForm], index) => ({ content, activeForm, status: statuses[index] })),
    });
  return [
    {
      prompt: 'A table of four should get ten percent off, but pays the full price. Find out why and fix it.',
      steps: [
        {
          blocks: [
            thinking(
              'The discount depends on the number of guests, so this is probably a comparison that is off by one. I should read how the total is computed and what the tests cover before I touch anything.',
            ),
            text("I'll read how the bill is totalled, and what the tests cover."),
            tool('Read', { file_path: bill }),
            tool('Read', { file_path: `${folder}/test/bill.test.js` }),
          ],
          usage: usage(13_842, 2_716, 241),
        },
        {
          blocks: [
            thinking(
              '`guests > DISCOUNT_FROM_GUESTS` with the constant at 4: a table of exactly four is left out. The constant is called "from", which suggests four should count. I want the rule in writing before I decide which side is wrong, and a run that shows the bug.',
            ),
            text(
              'The comparison leaves out a table of exactly four. Let me check what the rule is meant to be, and see the bug with my own eyes.',
            ),
            tool('Bash', {
              command: 'grep -rniE "four|discount|percent off" README.md src test',
              description: 'Find where the rule is stated',
            }),
            tool('Bash', { command: bills, description: 'Bill of 3, 4 and 5 guests for four cups of oolong' }),
          ],
          usage: usage(16_558, 1_187, 398),
        },
        {
          blocks: [
            text('The README says *four or more*, so the code is wrong and not the text. One character:'),
            tool('Edit', {
              file_path: bill,
              old_string: '  return guests > DISCOUNT_FROM_GUESTS ?',
              new_string: '  return guests >= DISCOUNT_FROM_GUESTS ?',
            }),
          ],
          usage: usage(17_745, 702, 173),
        },
        {
          blocks: [
            tool('Bash', { command: bills, description: 'The same three bills again' }),
            tool('Bash', { command: 'node --test', description: 'Run the tests' }),
          ],
          usage: usage(18_447, 326, 196),
        },
        {
          blocks: [
            text(`A table of four now gets its ten percent.

**Cause.** The rule was off by one: \`total\` in \`src/bill.js\` asked for *more than* four guests, while \`README.md\` promises the discount to tables of *four or more*.

\`\`\`diff
-  return guests > DISCOUNT_FROM_GUESTS ? …
+  return guests >= DISCOUNT_FROM_GUESTS ? …
\`\`\`

**Checked** with four cups of oolong:

| guests | before | now |
| --- | ---: | ---: |
| 3 | 18.40 EUR | 18.40 EUR |
| 4 | 18.40 EUR | **16.56 EUR** |
| 5 | 16.56 EUR | 16.56 EUR |

- All four tests pass.
- None of them has a table of exactly four (\`test/bill.test.js\` tries five), which is why this went unnoticed. I can add one.`),
          ],
          usage: usage(18_773, 911, 327),
        },
      ],
    },
    {
      prompt: 'Yes, add a test for the edge. Make sure that it fails without the fix.',
      steps: [
        {
          blocks: [
            thinking(
              'Three steps: write the test, prove that it catches the bug by putting the old comparison back for one run, then run everything with the fix in place. The proof must not leave the file changed, so I will use a copy.',
            ),
            text("I'll do it in three steps."),
            plan(['in_progress', 'pending', 'pending']),
          ],
          usage: usage(19_684, 428, 286),
        },
        {
          blocks: [tool('Write', { file_path: `${folder}/test/discount.test.js`, content: edge })],
          usage: usage(20_112, 391, 259),
        },
        {
          blocks: [
            plan(['completed', 'in_progress', 'pending']),
            tool('Bash', {
              command: `copy=$(mktemp -d) && cp -r . "$copy" && cd "$copy"
sed -i 's/guests >= /guests > /' src/bill.js
node --test test/discount.test.js | grep -E '^(✔|✖ [^f]|ℹ (pass|fail))'
cd - > /dev/null; rm -r "$copy"`,
              description: 'Run the new tests against a copy without the fix',
            }),
          ],
          usage: usage(20_503, 344, 301),
        },
        {
          blocks: [
            text('Without the fix exactly one of them fails, and it is the right one. Now everything, with the fix:'),
            plan(['completed', 'completed', 'in_progress']),
            tool('Bash', { command: 'node --test', description: 'Run all tests' }),
          ],
          usage: usage(20_847, 529, 247),
        },
        {
          blocks: [plan(['completed', 'completed', 'completed'])],
          usage: usage(21_376, 688, 142),
        },
        {
          blocks: [
            text(`\`test/discount.test.js\` now holds the edge from both sides:

1. three guests pay the full price,
2. four guests get ten percent off (this is the one that **fails without the fix**),
3. three guests with eight cups still pay in full: the guests count, not the cups.

All seven tests pass.`),
          ],
          usage: usage(22_064, 187, 121),
        },
      ],
    },
    {
      prompt: 'Give me two sentences for the changelog.',
      steps: [
        {
          blocks: [
            text(
              '> **Fixed:** Tables of exactly four guests now get the ten percent that the README promises; the check used `>` where it needed `>=`. New tests hold the rule at three and at four guests.',
            ),
          ],
          usage: usage(22_251, 148, 71),
        },
      ],
    },
  ];
}
