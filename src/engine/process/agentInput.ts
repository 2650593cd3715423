import type { Writable } from 'node:stream';

/** What may wait for an agent that does not read. More than any message or answer has. */
const maxWaiting = 64 << 20;

/** The open input of an agent. Nothing here throws: an agent that is gone reads nothing any more. */
export interface AgentInput {
  readonly open: boolean;
  /** One line, without its line end. `false`: too much waits already, and this was not taken. Ignored once closed. */
  write(line: string): boolean;
  /** What was written is still delivered. */
  close(): void;
}

export function agentInput(stream: Writable): AgentInput {
  let open = true;
  const ended = (): void => {
    open = false;
  };
  // A broken pipe is how an agent's end looks from here; its exit code says more.
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
