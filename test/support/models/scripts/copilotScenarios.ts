import { type Scenarios, text, tool } from './scenario.ts';

const usage = { input_tokens: 12, cache_creation_input_tokens: 1000, cache_read_input_tokens: 2000, output_tokens: 50 };
const bash = (command: string) => tool('bash', { command, description: 'A command' });

/** Scripts for the tools that Copilot CLI offers to Anthropic models. */
export function copilotScenarios(workspace: string): Scenarios {
  const error = (status: number, type: string, message: string) => [{ error: { status, type, message } }];
  const look = tool('view', { path: `${workspace}/src/menu.js` });
  const note = tool('create', { path: `${workspace}/NOTES.md`, file_text: '# Notes\n' });
  return {
    change: [
      { blocks: [text('First a look.'), look, bash('echo seen; exit 3'), note], usage },
      { blocks: [text('Done.')], usage },
    ],
    again: [{ blocks: [text('You asked for notes.')], usage }],
    afresh: [{ blocks: [text('Then once more.')], usage }],
    denied: [{ blocks: [bash('touch denied.txt')] }, { blocks: [text('Not allowed.')] }],
    sleep: [{ blocks: [bash('echo started > started.txt; sleep 600')] }, { hang: true }],
    refused: error(400, 'invalid_request_error', 'Scripted refusal of the request.'),
    login: error(401, 'authentication_error', 'The key is not good.'),
  };
}
