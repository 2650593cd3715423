import type { Writable } from 'node:stream';

/** Maximum buffered bytes for an agent that does not read; more than any message or answer needs. */
const maxWaiting = 64 << 20;

/** Standard input of an agent. Never throws: writing to an agent that has exited has no effect. */
export interface AgentInput {
  readonly open: boolean;
  /** Writes a line without line end. Returns `false` if the full buffer dropped it. Ignored after `close`. */
  write(line: string): boolean;
  /** Delivers what was written, then closes the input. */
  close(): void;
}

export function agentInput(stream: Writable): AgentInput {
  let open = true;
  const ended = (): void => {
    open = false;
  };
  // A broken pipe means that the agent has exited; its exit code says why.
  stream.on('error', ended);
  stream.once('close', ended);
  return {
    get open() {
      return open;
    },
    write: (line) => {
      if (!open) return true;
      if (stream.writableLength > maxWaiting) return false;
      stream.write(`${line}\n`);
      return true;
    },
    close: () => {
      if (!open) return;
      open = false;
      stream.end();
    },
  };
}
