/** Replaces lone surrogates, which parsers of other languages reject. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\ud') ? text.replaceAll(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, replaceInvalidEscape) : text;
}

function replaceInvalidEscape(escape: string): string {
  return escape === '\\\\' ? escape : '\\ufffd';
}

/** A JSON array with one item per line, streamed. */
export async function* jsonArray(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let first = true;
  for await (const item of items) {
    yield `${first ? '[' : ','}\n${jsonText(item)}`;
    first = false;
  }
  yield first ? '[]\n' : '\n]\n';
}

/** One item per line. */
export async function* jsonLines(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${jsonText(item)}\n`;
}

/** An object whose last member is an array, streamed. `head` needs at least one member. */
export async function* objectWithArray(
  head: Readonly<Record<string, unknown>>,
  name: string,
  items: AsyncIterable<unknown>,
  tail: () => Readonly<Record<string, unknown>> = () => ({}),
): AsyncGenerator<string> {
  yield `${jsonText(head).slice(0, -1)},${JSON.stringify(name)}:`;
  yield* trimEnds(jsonArray(items));
  const rest = jsonText(tail()).slice(1, -1);
  yield `${rest === '' ? '' : `,${rest}`}}\n`;
}

async function* trimEnds(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk === '\n]\n' ? '\n]' : chunk.trimEnd();
}
