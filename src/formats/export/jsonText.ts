/** A JSON array, one item per line, without holding more than one. */
export async function* jsonArray(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let first = true;
  for await (const item of items) {
    yield `${first ? '[' : ','}\n${JSON.stringify(item)}`;
    first = false;
  }
  yield first ? '[]\n' : '\n]\n';
}

/** One item per line. */
export async function* jsonLines(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

/** The text of an object whose last member is an array that is written item by item. `head` has at least one member. */
export async function* objectWithArray(
  head: Readonly<Record<string, unknown>>,
  name: string,
  items: AsyncIterable<unknown>,
  tail: () => Readonly<Record<string, unknown>> = () => ({}),
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(name)}:`;
  yield* trimmed(jsonArray(items));
  const rest = JSON.stringify(tail()).slice(1, -1);
  yield `${rest === '' ? '' : `,${rest}`}}\n`;
}

async function* trimmed(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk === '\n]\n' ? '\n]' : chunk.trimEnd();
}
