import { createInterface } from 'node:readline';
import type { DaemonConnection } from '../../client/connection.ts';
import type { AgentRequest } from '../../model/request.ts';
import type { SessionSnapshot } from '../../protocol/daemon/session.ts';
import { parseOptions } from '../args.ts';
import { parseJsonInput, parseTypedInput, type AttachInput } from '../attach/input.ts';
import { requestText } from '../attach/requestText.ts';
import { FollowedTranscript } from '../attach/transcript.ts';
import { UsageError, type CliContext, type Command } from '../command.ts';
import { runningDaemon, translated } from '../daemon.ts';
import { storeHelp } from '../engine.ts';
import { entryText } from '../entryText.ts';
import { writeLines } from '../output.ts';
import { visibleLine } from '../../model/visibleText.ts';

const help = `Usage: vitrine attach [ses_…] [options]

Shows a session that runs in the daemon as it goes on, and ends with its run. Without an id: the one that runs.
Several terminals can attach to one session; the first answer to a request counts.

Type y, n or n and a reason to answer the agent; any other line is a message to it; /stop stops the run.
Ctrl-C detaches: the agent keeps running.

  --json             entries as JSON lines; a changed entry comes again with the same index. Reads from stdin, one per line:
                     {"answer": {"request": ID, "decision": "allow"|"deny", "reason"?: TEXT}}, {"say": TEXT}, {"stop": true}
${storeHelp}
Exit code 0: the run completed, or you detached; 1: it failed or was stopped; 2: there is nothing to attach to.
`;

const options = { store: { type: 'string' }, json: { type: 'boolean' } } as const;

const done = 0;
const agentFailed = 1;
const lost = 2;

export const attach: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('attach', { args: [...args], options, allowPositionals: true });
    const [given, ...more] = positionals;
    if (more.length > 0) throw new UsageError('Give one session.', 'See "vitrine sessions" for their ids.');
    const json = values.json === true;
    const connection = await runningDaemon(context, { store: values.store, person: !json });
    if (connection === null)
      throw new UsageError('No agent runs in the background.', 'Start one: vitrine run --detach.');
    try {
      const session = given ?? (await onlyRunning(connection));
      return await translated(() => new Attachment(connection, session, context, json).run());
    } finally {
      connection.close();
    }
  },
};

/** @throws UsageError */
async function onlyRunning(connection: DaemonConnection): Promise<string> {
  const running = await translated(() => connection.call('running', {}));
  const [first, ...others] = running;
  if (first === undefined) throw new UsageError('No agent runs in the background.', 'Start one: vitrine run --detach.');
  if (others.length === 0) return first.session_id;
  const list = running.map(({ session_id, title = '' }) => `\n  ${session_id}  ${visibleLine(title)}`).join('');
  throw new UsageError('Several sessions are running. Give one:', list);
}

class Attachment {
  readonly #connection: DaemonConnection;
  readonly #session: string;
  readonly #context: CliContext;
  readonly #json: boolean;
  /** Requests that wait for an answer, the oldest first. */
  #waiting: readonly AgentRequest[] = [];
  #shown = new Set<string>();
  #answered = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  #end: (code: number) => void = () => undefined;

  constructor(connection: DaemonConnection, session: string, context: CliContext, json: boolean) {
    this.#connection = connection;
    this.#session = session;
    this.#context = context;
    this.#json = json;
  }

  /** Resolves to the exit code. */
  async run(): Promise<number> {
    const ended = new Promise<number>((resolve) => {
      this.#end = resolve;
    });
    const transcript = new FollowedTranscript(this.#connection, this.#session, (entry) =>
      this.#json ? writeLines(this.#context.stdout, [entry]) : this.#write(entryText(entry)),
    );
    const { state } = await this.#connection.follow(this.#session, (update) =>
      this.#inOrder(async () => {
        await transcript.update(update);
        this.#take(update.state);
      }),
    );
    const begun = this.#inOrder(async () => {
      await transcript.begin(state);
      this.#take(state);
    });
    const stopListening = this.#context.onInterrupt(() => {
      this.#tell(
        `Detached. The agent keeps running. Watch it: vitrine attach ${this.#session}. Stop it: vitrine stop ${this.#session}`,
      );
      this.#end(done);
    });
    const lines = createInterface({ input: this.#context.stdin, terminal: false });
    lines.on('line', (line) => void this.#receive(line));
    void this.#connection.closed.then(() => {
      this.#tell('The daemon has ended. The session is kept: vitrine show --help.');
      this.#end(lost);
    });
    try {
      await begun;
      return await ended;
    } finally {
      stopListening();
      lines.close();
      this.#context.stdin.destroy();
    }
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work);
    this.#work.catch(() => this.#end(lost));
    return this.#work;
  }

  #take({ live, summary, requests }: SessionSnapshot): void {
    for (const { id } of this.#waiting) {
      if (!requests.some((request) => request.id === id) && !this.#answered.has(id) && !this.#json)
        this.#tell('That request was answered elsewhere, or the agent no longer asks.');
    }
    this.#waiting = requests;
    for (const request of requests) {
      if (this.#shown.has(request.id)) continue;
      this.#shown.add(request.id);
      if (!this.#json) this.#tell(requestText(summary.agent_label, request));
    }
    if (!live) this.#end(summary.outcome === 'completed' ? done : agentFailed);
  }

  async #receive(line: string): Promise<void> {
    const input = this.#json ? parseJsonInput(line, this.#waiting) : parseTypedInput(line, this.#waiting);
    if (input === null) return;
    try {
      await this.#carryOut(input);
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error));
    }
  }

  async #carryOut(input: AttachInput): Promise<void> {
    const session_id = this.#session;
    switch (input.type) {
      case 'invalid':
        this.#tell(input.message);
        return;
      case 'stop':
        await this.#connection.call('stop', { session_id, kill: false });
        return;
      case 'say':
        await this.#connection.call('say', { session_id, text: input.text, how: 'queue' });
        return;
      case 'answer': {
        const { request: request_id, answer } = input;
        this.#answered.add(request_id);
        const { accepted } = await this.#connection.call('answer', { session_id, request_id, answer });
        if (!accepted) this.#tell('That request was answered elsewhere, or the agent no longer asks.');
      }
    }
  }

  #write(text: string): Promise<void> {
    this.#context.stdout.write(`${text}\n\n`);
    return Promise.resolve();
  }

  #tell(message: string): void {
    this.#context.stderr.write(`${message}\n`);
  }
}
