import { once } from 'node:events';
import { Writable } from 'node:stream';
import { visibleText } from '../../model/text/visibleText.ts';

/**
 * Text for users: no control, bidirectional or invisible character reaches the terminal. All commands write through
 * this, except for `--raw` and exports, which use `exactOutput`.
 */
export class TerminalText extends Writable {
  readonly exactOutput: Writable;

  constructor(exact: Writable) {
    super({ decodeStrings: false });
    this.exactOutput = exact;
    const close = (): void => void this.destroy();
    exact.once('close', close);
    exact.once('error', close);
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const text = typeof chunk === 'string' ? chunk : String(chunk);
    // Without a reader, the rest is discarded.
    if (this.exactOutput.destroyed || this.exactOutput.write(visibleText(text))) {
      done();
      return;
    }
    void once(this.exactOutput, 'drain').then(
      () => done(),
      () => done(),
    );
  }
}

/** The underlying stream, which writes bytes unchanged. */
export function exactStream(stream: Writable): Writable {
  return stream instanceof TerminalText ? stream.exactOutput : stream;
}

/** Writes exports unchanged to files and pipes, and visibly to terminals. */
export function exportStream(stream: Writable): Writable {
  const exact = exactStream(stream);
  return 'isTTY' in exact && exact.isTTY === true ? stream : exact;
}

const unprintable = /[\u007f-\u009f\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** JSON with escaped terminal control characters; parses to the same values. */
export function escapedJson(json: string): string {
  return json.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
