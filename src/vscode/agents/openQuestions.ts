/** Asks a person one thing after the other, and once for all who want to know the same. */
export class OpenQuestions<T> {
  /** Not answered yet, by what is asked. */
  readonly #open = new Map<string, Promise<T>>();
  #last: Promise<unknown> = Promise.resolve();

  /** `put`: asks. Rejects as that does; what is asked after it is asked all the same. */
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
