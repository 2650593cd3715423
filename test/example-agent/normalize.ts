import type { RunReport } from '../../src/model/usage/facts.ts';
import type { JsonObject } from '../../src/model/text/json.ts';
import { emptyReport } from '../../src/agents/shared/normalizer/emptyReport.ts';
import { nonEmpty, text } from '../../src/agents/shared/guards.ts';
import type { AgentReader, OwnFacts } from '../../src/agents/shared/normalizer/lineNormalizer.ts';
import type { NormalizedRun, SourceLine } from '../../src/agents/shared/normalizer/normalizedRun.ts';
import { byeLine } from './wire.ts';

export class ParrotReader implements AgentReader {
  /** Error codes of stderr lines. With `unknown_session`, Vitrine offers a new conversation. */
  readonly fixedStderr = [[/No such conversation/, 'unknown_session']] as const;
  readonly #run: NormalizedRun;
  readonly #reports: RunReport[] = [];

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** Returns `false` for an unknown kind; Vitrine then keeps and counts the line. */
  readMessage(message: JsonObject, line: SourceLine): boolean {
    const { session, texts, calls } = this.#run;
    const { timestamp } = line;
    const id = nonEmpty(message['id']);
    switch (message['kind']) {
      case 'hello':
        session.setId(message['session']);
        session.setModel(nonEmpty(message['model']));
        this.#run.isInTurn = true;
        this.#run.system('init', 'The parrot is awake', timestamp);
        this.#run.checkResumed(timestamp);
        return true;
      case 'say':
        // Consecutive pieces form one entry.
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
    this.#run.isInTurn = false;
    this.#run.texts.close();
    if (!ok) this.#run.error(error, undefined, timestamp);
    const answer = this.#run.texts.finalText;
    // The printed figures, unchanged. The ledger decides what they cover.
    const printed = { usd, durationMs, usage, cover: { of: 'run', sure: true } } as const;
    const errors = ok ? [] : [error];
    this.#reports.push({ ...emptyReport, ...printed, isError: !ok, errors, text: answer === '' ? null : answer });
    this.#run.system('result', ok ? 'Done' : 'Failed', timestamp);
  }
}
