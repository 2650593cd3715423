const trailerLine = /^[A-Za-z][A-Za-z0-9-]*: \S/;

/** The message with one more trailer: in the last paragraph if that consists of trailers, else in one of its own. */
export function withTrailer(message: string, trailer: string): string {
  const body = message.replace(/\s+$/, '');
  const last =
    body
      .split(/\n\s*\n/)
      .at(-1)
      ?.split('\n') ?? [];
  if (last.includes(trailer)) return message;
  if (body === '') return `\n\n${trailer}`;
  const isTrailers = body.includes('\n\n') && last.every((line) => trailerLine.test(line));
  return `${body}${isTrailers ? '\n' : '\n\n'}${trailer}`;
}
