import { clientLineSchema, type ClientLine } from '../../../model/transcript/clientLine.ts';
import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { AgentRequest, Decision } from '../../../model/agent/request.ts';
import { codeBlock } from '../describe.ts';
import { parse } from './lineLog.ts';
import { requestText } from '../requestText.ts';
import type { Clock, EntryWriter } from './entryWriter.ts';

/** Requests in the agent's own lines, and waiting ones. */
const maxRequests = 1000;

/** How the reader of one run uses what Vitrine itself sent and decided. */
export interface ClientEntriesHost {
  readonly writer: EntryWriter;
  readonly clock: Clock;
  readonly workDir: string;
  readonly metadata: () => NormalizedEntryMetadata | undefined;
  /** A message to the agent follows: its earlier text is complete. */
  readonly beforeMessage: (text: string) => void;
  readonly onDecided?: (request: AgentRequest, decision: Decision) => void;
  /** Adds it to the call; `false`: there is none. */
  readonly addToolOutput?: (output: Extract<ClientLine, { type: 'tool_output' }>, timestamp: string) => boolean;
}

interface OpenRequest {
  entry: NormalizedEntry;
  request: AgentRequest | undefined;
}

/** The `client` stream as entries: requests and their decisions, messages during the run, notes. */
export class ClientEntries {
  readonly #host: ClientEntriesHost;
  readonly #openRequest = new Map<string, OpenRequest>();

  constructor(host: ClientEntriesHost) {
    this.#host = host;
  }

  /** Whether an entry already has the request. */
  hasEntryFor(requestId: string): boolean {
    return this.#openRequest.has(requestId);
  }

  /** This entry already has the request, so it shows it. */
  markShown(requestId: string, entry: NormalizedEntry): void {
    this.#addRequest(requestId, { entry, request: undefined });
  }

  /** `false`: not one of Vitrine's lines. `at`: arrival in epoch milliseconds. */
  push(text: string, at: number): boolean {
    const parsed = clientLineSchema.safeParse(parse(text));
    if (!parsed.success) return false;
    this.#readLine(parsed.data, this.#host.clock.time(parsed.data.at, at));
    return true;
  }

  /** The requests get no more answers. */
  end(timestamp: string): void {
    const answer = { kind: 'deny', reason: 'The run ended before anyone answered.' } as const;
    for (const openRequest of [...this.#openRequest.values()]) {
      if (openRequest.request !== undefined)
        this.#handleDecision(openRequest, { by: 'run_over', at: timestamp, answer });
    }
  }

  #readLine(line: ClientLine, timestamp: string): void {
    const { writer, metadata } = this.#host;
    switch (line.type) {
      case 'request':
        this.#request(line.request, timestamp);
        return;
      case 'decision': {
        const openRequest = this.#openRequest.get(line.id);
        if (openRequest !== undefined) this.#handleDecision(openRequest, line.decision);
        return;
      }
      case 'message': {
        this.#host.beforeMessage(line.text);
        const { text: content, origin } = line;
        writer.add({ type: { kind: 'user_message' }, content, timestamp, metadata: metadata(), origin });
        return;
      }
      case 'note':
        this.#addNotice(line.subtype, line.content, timestamp);
        return;
      case 'tool_output':
        if (this.#host.addToolOutput?.(line, timestamp) === true) return;
        this.#addNotice('tool_output', `Output for the call ${line.callId}\n\n${codeBlock(line.stdout)}`, timestamp);
    }
  }

  #request(request: AgentRequest, timestamp: string): void {
    const { writer, metadata, workDir } = this.#host;
    const content = requestText(request, undefined, workDir);
    const type = { kind: 'system_message', subtype: 'request' } as const;
    const known = this.#openRequest.get(request.id)?.entry;
    if (known === undefined) {
      const entry = writer.add({ type, content, timestamp, metadata: { ...metadata(), request }, open: true });
      this.#addRequest(request.id, { entry, request });
      return;
    }
    const entry = { ...known, type, content, metadata: { ...known.metadata, request } };
    writer.put(entry, true);
    this.#addRequest(request.id, { entry, request });
  }

  #handleDecision({ entry, request }: OpenRequest, decision: Decision): void {
    if (request === undefined) return;
    this.#openRequest.delete(request.id);
    this.#host.onDecided?.(request, decision);
    const content = requestText(request, decision, this.#host.workDir);
    this.#host.writer.put({ ...entry, content, metadata: { ...entry.metadata, decision } });
  }

  #addNotice(subtype: string, content: string, timestamp: string): void {
    const { writer, metadata } = this.#host;
    const type = { kind: 'system_message', subtype } as const;
    writer.add({ type, content, timestamp, metadata: metadata(), origin: 'system' });
  }

  #addRequest(id: string, openRequest: OpenRequest): void {
    this.#openRequest.set(id, openRequest);
    if (this.#openRequest.size <= maxRequests) return;
    for (const [oldest, { request }] of this.#openRequest) {
      if (request !== undefined && this.#openRequest.size < 2 * maxRequests) continue;
      this.#openRequest.delete(oldest);
      return;
    }
  }
}
