import { type Answer, type Block, type Scenarios, text, thinking, tool } from './scenario.ts';

const usage = {
  input_tokens: 400,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 800,
  output_tokens: 60,
  thinking_tokens: 20,
};
const says = (...blocks: Block[]): Answer => ({ blocks, usage });
const command = (line: string): Block => tool('run_shell_command', { command: line, description: 'A command' });

/** Scripts for Gemini CLI's tools, with the same usage in every answer. */
export function geminiScenarios(workspace: string): Scenarios {
  const error = (status: number, type: string, message: string) => [{ error: { status, type, message } }];
  return {
    change: [
      says(
        thinking('Nothing is written yet.'),
        text('First a look.'),
        command('exit 3'),
        tool('read_file', { file_path: `${workspace}/src/menu.js` }),
      ),
      says(tool('write_file', { file_path: `${workspace}/NOTES.md`, content: '# Notes\n' })),
      says(text('Done.')),
    ],
    again: [says(text('You asked for notes.'))],
    afresh: [says(text('Then once more.'))],
    denied: [says(command('touch denied.txt')), says(text('It is not allowed.'))],
    sleep: [says(command('echo started > started.txt; sleep 600 | sleep 600')), { hang: true }],
    refused: error(400, 'INVALID_ARGUMENT', 'Scripted refusal of the request.'),
    login: error(401, 'UNAUTHENTICATED', 'The key is not good.'),
    overloaded: error(503, 'UNAVAILABLE', 'Scripted overload.'),
  };
}
