import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shellQuoted } from '../shellQuoted.ts';

/** Arguments and input of one start. */
export interface EchoCall {
  readonly args: readonly string[];
  readonly prompt: string;
}

/** By program name: version output, and the lines of a minimal run. */
const kinds = {
  codex: {
    // It reads one prompt; later versions are started with their app-server.
    version: 'codex-cli 0.142.0',
    lines: [
      { type: 'thread.started', thread_id: '01a1f877-019a-7c80-afab-627e56aae705' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Done by Codex.' } },
      { type: 'turn.completed', usage: { input_tokens: 9, cached_input_tokens: 0, output_tokens: 3 } },
    ],
  },
  copilot: {
    version: 'GitHub Copilot CLI 1.0.102',
    lines: [
      { type: 'assistant.message', data: { messageId: 'm1', model: 'gpt-test', content: 'Done by Copilot.' } },
      { type: 'result', sessionId: '3afe7334-0000-4000-8000-000000000000', exitCode: 0, usage: { premiumRequests: 0 } },
    ],
  },
} as const;

/** A stand-in program in `folder` that records how it is started. */
export class EchoAgent {
  readonly program: string;
  readonly #calls: string;

  constructor(folder: string, kind: keyof typeof kinds) {
    const { version, lines } = kinds[kind];
    mkdirSync(folder, { recursive: true });
    this.program = path.join(folder, kind);
    this.#calls = path.join(folder, `${kind}.calls`);
    const printed = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const script = `
      import { appendFileSync, readFileSync } from 'node:fs';
      const args = process.argv.slice(2);
      if (args[0] === '--version') console.log(${JSON.stringify(version)});
      else if (args[0] === 'login') console.error('Logged in using ChatGPT');
      else {
        const prompt = readFileSync(0, 'utf8');
        process.stdout.write(${JSON.stringify(printed)});
        appendFileSync(${JSON.stringify(this.#calls)}, JSON.stringify({ args, prompt }) + '\\n');
      }
    `;
    writeFileSync(`${this.program}.mjs`, script);
    // A shebang cannot contain a path with spaces.
    writeFileSync(
      this.program,
      `#!/bin/sh\nexec ${shellQuoted(process.execPath)} ${shellQuoted(`${this.program}.mjs`)} "$@"\n`,
    );
    chmodSync(this.program, 0o755);
  }

  calls(): readonly EchoCall[] {
    if (!existsSync(this.#calls)) return [];
    // The last line may be incomplete.
    const lines = readFileSync(this.#calls, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as EchoCall);
  }
}
