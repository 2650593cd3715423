import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { NormalizedRun, SourceLine } from '../../shared/normalizer/normalizedRun.ts';

/** The beginning of a JSON line, complete or interrupted. */
const looksLikeEvent = /^\s*\{\s*"/;

/**
 * Output of versions without JSON, or without the option for it: one text, in which the answer and summaries of tool calls
 * (`● …`, `✗ …`) cannot be distinguished reliably. It stays one message.
 */
export class PlainText {
  readonly #run: NormalizedRun;
  #entry: NormalizedEntry | undefined;
  readonly #lines: string[] = [];
  #blankLines = 0;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  get hasStarted(): boolean {
    return this.#entry !== undefined;
  }

  /** `false`: not a line of text mode. */
  line({ raw, timestamp }: SourceLine): boolean {
    if (this.#entry === undefined && looksLikeEvent.test(raw)) return false;
    const added = [...Array.from({ length: this.#blankLines }, () => ''), raw];
    this.#blankLines = 0;
    if (this.#entry === undefined) {
      const type = { kind: 'assistant_message' } as const;
      const metadata = this.#run.session.metadata();
      this.#entry = this.#run.writer.add({ type, content: raw, timestamp, metadata, open: true });
    } else {
      this.#run.writer.append(this.#entry.index, `\n${added.join('\n')}`);
    }
    this.#lines.push(...added);
    return true;
  }

  blankLine(): void {
    if (this.#entry !== undefined) this.#blankLines += 1;
  }

  /** It was not text mode: what came before the agent's first message is not its answer. */
  retractText(): void {
    const entry = this.#entry;
    if (entry === undefined) return;
    this.#entry = undefined;
    const message = 'This is not an agent message.';
    const content = this.#lines.join('\n');
    this.#run.lines.counts.malformed += this.#lines.filter((line) => line !== '').length;
    const type = { kind: 'error', error: { message, code: 'malformed_line' } } as const;
    this.#run.writer.put({ ...entry, type, content, metadata: { ...entry.metadata, raw: content } });
    this.#lines.length = 0;
  }

  end(): void {
    if (this.#entry === undefined) return;
    this.#run.texts.replace(this.#entry, 'text', this.#lines.join('\n'));
  }
}
