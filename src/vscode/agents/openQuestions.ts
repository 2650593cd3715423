/** Asks one question at a time, and shares the answer between callers with the same question. */
export class OpenQuestions<T> {
  /** Open questions by key. */
  readonly #open = new Map<string, Promise<T>>();
  #last: Promise<unknown> = Promise.resolve();

  /** `put` asks. Its rejection is passed on and does not affect later questions. */
  ask(key: string, put: () => Promise<T>): Promise<T> {
    const open = this.#open.get(key);
    if (open !== undefined) return open;
    const answer = this.#last.then(put);
    this.#open.set(key, answer);
    const close = (): void => void this.#open.delete(key);
    this.#last = answer.then(close, close);
    return answer;
  }
}
