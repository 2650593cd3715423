import { type Scenarios, text, thinking, tool } from './scenario.ts';

/** Scripts of the agent tests. `workDir`: the agent's folder, because its file tools need absolute paths. */
export function testScenarios(workDir: string): Scenarios {
  const menu = `${workDir}/src/menu.js`;
  return {
    hello: [{ blocks: [text('Hello from the scripted model.')], usage: { input_tokens: 7, output_tokens: 31 } }],
    /** Reads, edits, writes and runs: one changed file, one new file, one command. */
    change: [
      {
        blocks: [
          thinking('The menu has no matcha yet.'),
          text('I will look at the menu first.'),
          tool('Read', { file_path: menu }),
          tool('Bash', { command: 'ls test', description: 'List the tests' }),
        ],
        usage: { input_tokens: 21, output_tokens: 113 },
      },
      {
        blocks: [
          tool('Edit', {
            file_path: menu,
            old_string: "  ['scone',",
            new_string: "  ['matcha', { title: 'Matcha', price: 520 }],\n  ['scone',",
          }),
          tool('Write', { file_path: `${workDir}/NOTES.md`, content: '# Notes\n\nMatcha is new.\n' }),
        ],
        usage: { cache_read_input_tokens: 3104, output_tokens: 187 },
      },
      {
        blocks: [tool('Bash', { command: 'node --test', description: 'Run the tests' })],
        usage: { cache_read_input_tokens: 3391, output_tokens: 64 },
      },
      {
        blocks: [text('**Done.** Matcha is on the menu for 5.20 EUR, and the tests pass.')],
        usage: { cache_read_input_tokens: 3502, output_tokens: 48 },
      },
    ],
    again: [{ blocks: [text('You asked me to add matcha; I did.')], usage: { output_tokens: 23 } }],
    third: [{ blocks: [text('That was the third turn.')], usage: { output_tokens: 17 } }],
    /** Two processes that outlive every timeout. */
    sleep: [
      { blocks: [tool('Bash', { command: 'echo started > started.txt; sleep 600 | sleep 600', timeout: 600_000 })] },
      { hang: true },
    ],
    /** Endless: every answer asks for another command. */
    endless: [{ blocks: [tool('Bash', { command: 'echo again', description: 'Once more' })] }],
    half: [
      { blocks: [text('Half of an answer')], cut: true, times: 1, pace: { between: 40, chunk: 6 } },
      { blocks: [text('Whole again.')] },
    ],
    refused: [{ error: { status: 400, type: 'invalid_request_error', message: 'Scripted refusal of the request.' } }],
    hang: [{ hang: true }],
  };
}
