import type { Decision } from '../../model/agent/request.ts';
import type { Dialogue, DialogueHost } from '../dialogue.ts';
import { RunWatch } from './watch.ts';

/** Answers the questions of a run, one per line: a JSON string, or `null` if there is no answer. */
export class AcpHttpDialogue implements Dialogue {
  readonly #host: DialogueHost;
  readonly #watch = new RunWatch();
  #askCount = 0;

  constructor(host: DialogueHost) {
    this.#host = host;
  }

  /** The run was created with its prompt. */
  begin(): void {
    this.#askCount = 0;
  }

  handleLine(text: string): void {
    this.#watch.line(text);
    const { question } = this.#watch;
    if (question === null) return;
    this.#watch.clearQuestion();
    void this.#ask(question);
  }

  handleOversizeLine(): void {
    this.#watch.line(null);
  }

  /** The protocol accepts only answers. */
  sendMessage(): void {
    return;
  }

  interrupt(): void {
    return;
  }

  end(): void {
    return;
  }

  async #ask(asked: string): Promise<void> {
    this.#askCount += 1;
    const question = asked === '' ? 'The agent is waiting for an answer.' : asked;
    const decision = await this.#host.ask({
      id: requestId(this.#watch.runId, this.#askCount),
      kind: 'question',
      title: question.trim().split('\n', 1)[0] ?? question,
      questions: [{ question, multiSelect: false, freeText: true, options: [] }],
    });
    this.#host.write(JSON.stringify(answerOf(decision)));
  }
}

/** `at`: number of the question in the run, from 1. */
export function requestId(runId: string | null, at: number): string {
  return `${runId ?? 'run'}:${at}`;
}

function answerOf({ answer }: Decision): string | null {
  return answer.kind === 'answer' ? answer.answers.join('\n') : null;
}
