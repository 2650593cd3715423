import type { ExitInfo } from '../../model/usage/facts.ts';
import type { SideStream } from '../../model/transcript/normalizer.ts';
import type { JsonObject } from '../../model/text/json.ts';
import type { AgentReader, OwnFacts } from '../shared/normalizer/lineNormalizer.ts';
import type { NormalizedRun, SourceLine } from '../shared/normalizer/normalizedRun.ts';
import { AppServerEvents } from './appServer/events.ts';
import { fixedStderr, noise } from './errors.ts';
import { OldEvents } from './oldEvents/events.ts';
import { ThreadEvents } from './threads/threadEvents.ts';
import { configLine, contextModel, eventOf, promptLine } from './wire.ts';

/** Reads the output of `codex exec --json` since 0.20, and of `codex app-server`. Each line shows its format. */
export class CodexReader implements AgentReader {
  readonly ignoredStderr = noise;
  readonly fixedStderr = fixedStderr;
  readonly #run: NormalizedRun;
  readonly #threads: ThreadEvents;
  readonly #oldEvents: OldEvents;
  readonly #server: AppServerEvents;

  constructor(run: NormalizedRun) {
    this.#run = run;
    this.#threads = new ThreadEvents(run);
    this.#oldEvents = new OldEvents(run);
    this.#server = new AppServerEvents(run, this.#threads);
  }

  readMessage(message: JsonObject, line: SourceLine): boolean {
    if (this.#threads.readLine(message, line)) return true;
    const known = this.#server.readMessage(message, line);
    if (known !== undefined) return known;
    const event = eventOf(message);
    if (event !== undefined) return this.#oldEvents.event(event.type, event.fields, line);
    const prompt = promptLine(message);
    if (prompt !== undefined) {
      this.#run.addEchoedPrompt(prompt, line.timestamp);
      return true;
    }
    const config = configLine(message);
    if (config === undefined) return false;
    this.#oldEvents.readConfig(config, line);
    return true;
  }

  /** A `turn_context` of the thread's rollout: since 0.44, the output does not name the model. */
  readSideLine(stream: SideStream, content: string): void {
    if (stream === 'store') this.#run.session.setModel(contextModel(content));
  }

  beforeEnd(exit: ExitInfo, timestamp: string): void {
    this.#oldEvents.beforeEnd(exit, timestamp);
  }

  facts(): OwnFacts {
    return {
      agentVersion: null,
      permissionMode: this.#oldEvents.permissionMode,
      reports: [...this.#threads.reports, ...this.#oldEvents.reports],
      messages: [...this.#server.messages, ...this.#oldEvents.messages],
      sideCalls: this.#threads.sideCalls,
    };
  }
}
