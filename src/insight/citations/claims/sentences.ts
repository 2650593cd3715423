export interface Sentence {
  readonly start: number;
  readonly end: number;
}

/** Longer ones are cut: no one writes them, and analysing a sentence may be slower than linear. */
const longest = 600;

// "./..." does not end a sentence.
const ends = /(?<!\/\.\.)[.!?](?=\s|$)|[。！？\n]/g;

/** The sentences of a text in order, without gaps. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  const add = (end: number): void => {
    while (start < end) {
      const stop = Math.min(end, start + longest);
      sentences.push({ start, end: stop });
      start = stop;
    }
  };
  for (const { index } of text.matchAll(ends)) add(index + 1);
  add(text.length);
  return sentences;
}
