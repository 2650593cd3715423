import type { CodexVersion } from '../../agents/codex.ts';
import { type Answer, type Block, type Scenarios, text, thinking, tool } from './scenario.ts';

const usage = {
  input_tokens: 400,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 800,
  output_tokens: 60,
  thinking_tokens: 20,
};
const says = (...blocks: Block[]): Answer => ({ blocks, usage });

/** The tool for commands differs between versions. */
function command(version: CodexVersion, line: string): Block {
  if (version === '0.169.0') return tool('exec_command', { cmd: line, yield_time_ms: 30_000 });
  if (version === '0.77.0') return tool('shell_command', { command: line });
  return tool('shell', { command: ['bash', '-lc', line] });
}

function patch(version: CodexVersion, lines: string): Block {
  const whole = `*** Begin Patch\n${lines}\n*** End Patch\n`;
  return version === '0.20.0' ? tool('shell', { command: ['apply_patch', whole] }) : tool('apply_patch', whole);
}

/** Scripts for one version's tools, with the same usage in every answer. */
export function codexScenarios(version: CodexVersion): Scenarios {
  const error = (status: number, type: string, message: string) => [{ error: { status, type, message } }];
  return {
    change: [
      says(
        thinking('Nothing is written yet.'),
        text('First a look.'),
        command(version, 'echo seen; exit 3'),
        command(version, 'ls src'),
      ),
      says(patch(version, '*** Add File: NOTES.md\n+# Notes')),
      says(text('Done.')),
    ],
    again: [says(text('You asked for notes.'))],
    afresh: [says(text('Then once more.'))],
    write: [says(command(version, 'echo no > written.txt; ls src')), says(text('It is not allowed.'))],
    sleep: [says(command(version, 'echo started > started.txt; sleep 600 | sleep 600')), { hang: true }],
    refused: error(400, 'invalid_request_error', 'Scripted refusal of the request.'),
    login: error(401, 'invalid_request_error', 'The key is not good.'),
    limit: error(429, 'rate_limit_exceeded', 'The limit of requests is reached.'),
    cut: [{ ...says(text('Half of an')), cut: true, times: 1 }, says(text('Whole again.'))],
  };
}
