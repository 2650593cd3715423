import type { Decision } from '../../model/request.ts';
import type { Dialogue, DialogueHost } from '../dialogue.ts';
import { RunWatch } from './watch.ts';

/** Answers the questions of a run: one line each, the answer as a JSON string, or `null` where nobody gave one. */
export class AcpHttpDialogue implements Dialogue {
  readonly #host: DialogueHost;
  readonly #watch = new RunWatch();
  #asked = 0;
  #over = false;

  constructor(host: DialogueHost) {
    this.#host = host;
  }

  /** The run was made with its prompt. */
  begin(): void {
    this.#asked = 0;
  }

  line(text: string): void {
    this.#watch.line(text);
    const { question, over } = this.#watch;
    if (question !== null) {
      this.#watch.answered();
      void this.#ask(question);
    }
    if (!over || this.#over) return;
    this.#over = true;
    this.#host.turnOver();
  }

  tooLong(): void {
    this.#watch.line(null);
  }

  /** The protocol takes no message but an answer. */
  say(): void {
    return;
  }

  interrupt(): void {
    return;
  }

  end(): void {
    return;
  }

  async #ask(asked: string): Promise<void> {
    this.#asked += 1;
    const question = asked === '' ? 'The agent waits for an answer.' : asked;
    const decision = await this.#host.ask({
      id: `${this.#watch.runId ?? 'run'}:${this.#asked}`,
      kind: 'question',
      title: question.trim().split('\n', 1)[0] ?? question,
      questions: [{ question, multiSelect: false, freeText: true, options: [] }],
    });
    this.#host.write(JSON.stringify(answerOf(decision)));
  }
}

function answerOf({ answer }: Decision): string | null {
  return answer.kind === 'answer' ? Object.values(answer.answers).join('\n') : null;
}
