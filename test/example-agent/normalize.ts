import type { RunReport } from '../../src/model/usage/facts.ts';
import type { JsonObject } from '../../src/model/text/json.ts';
import { emptyReport } from '../../src/agents/shared/normalizer/emptyReport.ts';
import { nonEmpty, text } from '../../src/agents/shared/guards.ts';
import type { AgentReader, OwnFacts } from '../../src/agents/shared/normalizer/lineNormalizer.ts';
import type { NormalizedRun, SourceLine } from '../../src/agents/shared/normalizer/normalizedRun.ts';
import { byeLine } from './wire.ts';

export class ParrotReader implements AgentReader {
  /** The agent does not know the conversation: Vitrine then offers a new one. */
  readonly fixedStderr = [[/No such conversation/, 'unknown_session']] as const;
  readonly #run: NormalizedRun;
  readonly #reports: RunReport[] = [];

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** `false`: a kind that is not known. The line is kept and counted then. */
  message(message: JsonObject, line: SourceLine): boolean {
    const { session, texts, calls } = this.#run;
    const { timestamp } = line;
    const id = nonEmpty(message['id']);
    switch (message['kind']) {
      case 'hello':
        session.seeId(message['session']);
        session.seeModel(nonEmpty(message['model']));
        this.#run.unfinished = true;
        this.#run.system('init', 'The parrot is awake', timestamp);
        this.#run.checkResumed(timestamp);
        return true;
      case 'say':
        // Pieces that follow each other are one entry.
        texts.piece('text', text(message['text']) ?? '', timestamp, session.metadata());
        return true;
      case 'tool': {
        if (id === undefined) return false;
        const input = message['input'];
        texts.close();
        const toolName = nonEmpty(message['name']) ?? 'unknown';
        const action = { kind: 'tool', input } as const;
        calls.start({ id, toolName, action, input, timestamp, metadata: session.metadata() });
        return true;
      }
      case 'tool_done': {
        if (id === undefined || calls.get(id) === undefined) return false;
        const status = message['ok'] === true ? 'success' : 'failed';
        calls.finish({ id, status, result: { text: text(message['output']) ?? '' }, timestamp });
        return true;
      }
      case 'bye':
        this.#bye(message, timestamp);
        return true;
      default:
        return false;
    }
  }

  facts(): OwnFacts {
    return { agentVersion: null, permissionMode: null, reports: [...this.#reports] };
  }

  #bye(message: JsonObject, timestamp: string): void {
    const { ok, error = 'It gave no reason.', usd, durationMs, usage } = byeLine(message);
    this.#run.unfinished = false;
    this.#run.texts.close();
    if (!ok) this.#run.error(error, undefined, timestamp);
    const answer = this.#run.texts.finalText;
    // What was printed, as it was printed; the ledger decides what it covers.
    const printed = { usd, durationMs, usage, cover: { of: 'run', sure: true } } as const;
    const errors = ok ? [] : [error];
    this.#reports.push({ ...emptyReport, ...printed, isError: !ok, errors, text: answer === '' ? null : answer });
    this.#run.system('result', ok ? 'Done' : 'Failed', timestamp);
  }
}
