import { createInterface } from 'node:readline';
import { storeFormats } from '../../../agents/stores/formats.ts';
import { storeVariables } from '../../../agents/stores/roots.ts';
import type { DaemonConnection } from '../../../client/connection.ts';
import { runsIn } from '../../../client/machine/runsIn.ts';
import { transcriptPages } from '../../../client/machine/transcriptPages.ts';
import { normalizedEntrySchema, type NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { AgentRequest } from '../../../model/agent/request.ts';
import type { SessionSnapshot } from '../../../protocol/daemon/session.ts';
import { parseOptions } from '../../options/args.ts';
import { parseJsonInput, parseTypedInput, type AttachInput } from '../../attach/input.ts';
import { editText } from '../../attach/editText.ts';
import { readEditPreviews } from '../../../engine/requests/readEditPreviews.ts';
import { requestText } from '../../attach/approvalText.ts';
import { FollowedTranscript, isWaitingRequest } from '../../attach/transcript.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { isSameProtocol, runningDaemons, startedDaemon, withDaemonErrors } from '../../run/daemon.ts';
import { storeHelp } from '../../run/engine.ts';
import { homeOf, readObserved } from '../../sessions/observed.ts';
import { entryText } from '../../print/entryText.ts';
import { writeLines } from '../../print/output.ts';
import { visibleLine } from '../../../model/text/visibleText.ts';

const help = `Usage: vitrine attach [ses_…] [options]

Follows a session that is running in the daemon until its run ends. Without an ID, follows the only running session.
Can also join a Codex session that is running in another program, if Codex's app-server has it open.
Several terminals can attach to one session. The first answer to a request wins.

To answer the agent, type y, n, or n and a reason. Any other line is sent as a message. /stop stops the run.
Ctrl-C detaches: the agent keeps running.

  --json             prints entries as JSON lines; a changed entry is repeated with the same index. Reads from stdin, one per line:
                     {"answer": {"request": ID, "decision": "allow"|"deny", "reason"?: TEXT}}, {"say": TEXT}, {"stop": true}
${storeHelp}
Exit code 0: the run completed, or you detached; 1: it failed or was stopped; 2: no session to attach to.
`;

const options = { store: { type: 'string' }, json: { type: 'boolean' } } as const;

/** State of an attached session. */
interface State {
  readonly isLive: boolean;
  readonly outcome: string;
  /** Name of the agent, for people. */
  readonly agent: string;
  /** Absolute path. */
  readonly folder?: string | undefined;
  readonly requests: readonly AgentRequest[];
}

const done = 0;
const agentFailed = 1;
const exitCodeIfLost = 2;

export const attach: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('attach', { args: [...args], options, allowPositionals: true });
    const [id, ...others] = positionals;
    if (others.length > 0) throw new UsageError('Specify one session.', 'See "vitrine sessions" for session IDs.');
    const json = values.json === true;
    const daemons = await runningDaemons(context, { store: values.store, isInteractive: !json });
    try {
      const join = async (id: string): Promise<SessionPlace | undefined> => {
        const joined = await joinOther(context, { store: values.store, json, id });
        if (joined !== undefined) daemons.push(joined.connection);
        return joined;
      };
      const { connection, session } = await withDaemonErrors(() => findSession(daemons, id, join));
      return await withDaemonErrors(() => new Attachment(connection, session, context, json).run());
    } finally {
      for (const daemon of daemons) daemon.close();
    }
  },
};

interface SessionPlace {
  readonly connection: DaemonConnection;
  readonly session: string;
}

/** @throws UsageError */
async function findSession(
  daemons: readonly DaemonConnection[],
  sessionId: string | undefined,
  join: (id: string) => Promise<SessionPlace | undefined>,
): Promise<SessionPlace> {
  const running = (await runsIn(daemons)).map(({ connection, session: { session_id: session, title = '' } }) => ({
    connection,
    session,
    title,
  }));
  const [daemon] = daemons;
  const [first, ...others] = running.filter(({ session }) => sessionId === undefined || session === sessionId);
  if (first !== undefined && others.length === 0) return first;
  const joined = first === undefined && sessionId !== undefined ? await join(sessionId) : undefined;
  if (joined !== undefined) return joined;
  if (daemon === undefined || (first === undefined && sessionId === undefined))
    throw new UsageError('No agent is running in the background.', 'Start one: vitrine run --detach.');
  // It may have ended a moment ago.
  if (sessionId !== undefined) return first ?? { connection: daemon, session: sessionId };
  const list = running.map(({ session, title }) => `\n  ${session}  ${visibleLine(title)}`).join('');
  throw new UsageError('Several sessions are running. Specify one:', list);
}

interface OtherSession {
  readonly store: string | undefined;
  readonly json: boolean;
  readonly id: string;
}

/**
 * A session that is running in another program, joined by the daemon; `undefined` for all others.
 * @throws UsageError if it can only be watched
 */
async function joinOther(
  context: CliContext,
  { store, json, id: session_id }: OtherSession,
): Promise<SessionPlace | undefined> {
  const observed = await readObserved(context, session_id);
  if (observed === null || observed.live.state === 'ended') return undefined;
  const { label, agent } = observed;
  if (storeFormats.find((format) => format.agent === agent)?.join !== undefined) {
    const connection = await startedDaemon(context, { store, isInteractive: !json });
    await connection.call('watchSources', { ...storePlace(context), scope: 'everything', folders: [], limit: 1 });
    const { state, subscription } = await connection.call('follow', { session_id });
    if (state.summary.observed === undefined || state.dialogue) {
      await connection.call('unfollow', { subscription });
      return { connection, session: session_id };
    }
    connection.close();
  }
  throw new UsageError(
    `${label} session ${session_id} is running in another program. Answer its requests there. Here, you can only watch it.`,
    `Show it: vitrine show ${session_id}.`,
  );
}

/** Where this terminal's agents keep their sessions. */
function storePlace({ env }: CliContext): { home: string; variables: Record<string, string> } {
  const set = storeVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { home: homeOf(env), variables: Object.fromEntries(set) };
}

class Attachment {
  readonly #connection: DaemonConnection;
  readonly #session: string;
  readonly #context: CliContext;
  readonly #isJson: boolean;
  /** Requests that wait for an answer, the oldest first. */
  #pendingRequests: readonly AgentRequest[] = [];
  #shownRequests = new Set<string>();
  #answeredIds = new Set<string>();
  #lastWork: Promise<void> = Promise.resolve();
  #end: (code: number) => void = () => undefined;
  #hasEnded = false;

  constructor(connection: DaemonConnection, session: string, context: CliContext, json: boolean) {
    this.#connection = connection;
    this.#session = session;
    this.#context = context;
    this.#isJson = json;
  }

  /** Resolves to the exit code. */
  async run(): Promise<number> {
    const ended = new Promise<number>((resolve) => {
      this.#end = (code) => {
        this.#hasEnded = true;
        resolve(code);
      };
    });
    const started = isSameProtocol(this.#connection) ? this.#follow() : this.#followOther();
    const stopListening = this.#context.onInterrupt(() => {
      this.#printNotice(
        `Detached. The agent keeps running. Watch it: vitrine attach ${this.#session}. Stop it: vitrine stop ${this.#session}`,
      );
      this.#end(done);
    });
    const lines = createInterface({ input: this.#context.stdin, terminal: false });
    lines.on('line', (line) => void this.#receive(line));
    void this.#connection.closed.then(() => {
      this.#printNotice('The daemon has exited. The session is saved. See "vitrine show --help".');
      this.#end(exitCodeIfLost);
    });
    try {
      return await Promise.race([ended, started.then(() => ended)]);
    } finally {
      stopListening();
      lines.close();
      this.#context.stdin.destroy();
    }
  }

  async #follow(): Promise<void> {
    const transcript = this.#isJson
      ? new FollowedTranscript(this.#connection, this.#session, (entry) => writeLines(this.#context.stdout, [entry]))
      : new FollowedTranscript(this.#connection, this.#session, (entry) => this.#write(entry), entryText);
    const take = ({
      live: isLive,
      summary: { outcome, agent_label: agent, project_dir: folder },
      requests,
    }: SessionSnapshot): void => {
      this.#applyState({ isLive, outcome, agent, folder, requests });
    };
    const { state } = await this.#connection.follow(this.#session, (update) =>
      this.#enqueue(async () => {
        await transcript.update(update);
        take(update.state);
      }),
    );
    await this.#enqueue(async () => {
      await transcript.begin(state);
      take(state);
    });
  }

  /** In a daemon of another protocol version. Entries may have a form that only its version knows. */
  async #followOther(): Promise<void> {
    for await (const page of transcriptPages(this.#connection, this.#session, 0)) {
      for (const entry of page.entries) {
        const known = normalizedEntrySchema.safeParse(entry);
        if (this.#isJson) await writeLines(this.#context.stdout, [entry]);
        else if (known.success) await this.#write(known.data);
      }
      if (this.#isJson) {
        const newRequests = page.requests.filter(({ id }) => !this.#shownRequests.has(id));
        await writeLines(
          this.#context.stdout,
          newRequests.map((request) => ({ request })),
        );
      }
      this.#applyState({ ...page, isLive: page.live });
    }
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#lastWork = this.#lastWork.then(work);
    this.#lastWork.catch(() => this.#end(exitCodeIfLost));
    return this.#lastWork;
  }

  async #ask(agent: string, request: AgentRequest, folder: string | undefined): Promise<void> {
    const edits = editText(request, await readEditPreviews(request, folder));
    this.#printNotice([...(edits === '' ? [] : [edits]), requestText(agent, request)].join('\n'));
  }

  #applyState({ isLive, outcome, agent, folder, requests }: State): void {
    for (const { id } of this.#pendingRequests) {
      if (!requests.some((request) => request.id === id) && !this.#answeredIds.has(id) && !this.#isJson)
        this.#printNotice('That request was already answered or withdrawn.');
    }
    this.#pendingRequests = requests;
    for (const request of requests) {
      if (this.#shownRequests.has(request.id)) continue;
      this.#shownRequests.add(request.id);
      if (!this.#isJson) void this.#enqueue(() => this.#ask(agent, request, folder));
    }
    if (!isLive) this.#end(outcome === 'completed' ? done : agentFailed);
  }

  async #receive(line: string): Promise<void> {
    const input = this.#isJson
      ? parseJsonInput(line, this.#pendingRequests)
      : parseTypedInput(line, this.#pendingRequests);
    if (input === null) return;
    try {
      await this.#handleInput(input);
    } catch (error) {
      // A stopped run may end before the answer to the call arrives.
      if (this.#hasEnded && input.type === 'stop') return;
      this.#printNotice(error instanceof Error ? error.message : String(error));
    }
  }

  async #handleInput(input: AttachInput): Promise<void> {
    const session_id = this.#session;
    switch (input.type) {
      case 'invalid':
        this.#printNotice(input.message);
        return;
      case 'stop':
        await this.#connection.call('stop', { session_id, kill: false });
        return;
      case 'say':
        await this.#connection.call('say', { session_id, text: input.text, how: 'queue' });
        return;
      case 'answer': {
        const { request: request_id, answer } = input;
        this.#answeredIds.add(request_id);
        const { accepted } = await this.#connection.call('answer', { session_id, request_id, answer });
        if (!accepted) this.#printNotice('That request was already answered or withdrawn.');
      }
    }
  }

  #write(entry: NormalizedEntry): Promise<void> {
    // The notice of a waiting request says more.
    if (!isWaitingRequest(entry)) this.#context.stdout.write(`${entryText(entry)}\n\n`);
    return Promise.resolve();
  }

  #printNotice(message: string): void {
    this.#context.stderr.write(`${message}\n`);
  }
}
