/** `length` characters of a text from `at` on correspond to the source from `source` on. */
interface TextStretch {
  readonly at: number;
  readonly length: number;
  readonly source: number;
}

/** Maps the characters of a text to its source. Some may have no position there. */
export class TextMap {
  readonly #stretches: readonly TextStretch[];

  private constructor(stretches: readonly TextStretch[]) {
    this.#stretches = stretches;
  }

  static identity(source: number, length: number): TextMap {
    return new TextMap([{ at: 0, length, source }]);
  }

  /**
   * For a text whose lines are the ends of the lines of `raw`, as Markdown extracts them from lists and quotations. Other
   * lines are not mapped.
   */
  static fromLines(text: string, raw: string): TextMap {
    const stretches: TextStretch[] = [];
    let at = 0;
    let source = 0;
    const lines = raw.split('\n');
    for (const [place, line] of text.split('\n').entries()) {
      const whole = lines[place];
      if (whole === undefined) break;
      if (whole.endsWith(line)) {
        // The line break belongs to it.
        stretches.push({ at, length: line.length + 1, source: source + whole.length - line.length });
      }
      at += line.length + 1;
      source += whole.length + 1;
    }
    return new TextMap(stretches);
  }

  /** This map for the text from `from` to before `to`. */
  part(from: number, to: number): TextMap {
    const found: TextStretch[] = [];
    for (let place = this.#findFirstAt(from); place < this.#stretches.length; place++) {
      const stretch = this.#stretches[place];
      if (stretch === undefined || stretch.at >= to) break;
      const start = Math.max(from, stretch.at);
      const end = Math.min(to, stretch.at + stretch.length);
      if (start < end)
        found.push({ at: start - from, length: end - start, source: stretch.source + start - stretch.at });
    }
    return new TextMap(found);
  }

  /** Combines the maps if this map's source is the text of `outer`. */
  composeWith(outer: TextMap): TextMap {
    return new TextMap(
      this.#stretches.flatMap(({ at, length, source }) =>
        outer
          .part(source, source + length)
          .#stretches.map((stretch) => ({ at: at + stretch.at, length: stretch.length, source: stretch.source })),
      ),
    );
  }

  /** Source position of the first character, and after the last one; `undefined` if nothing is mapped. */
  get span(): readonly [start: number, end: number] | undefined {
    const [first] = this.#stretches;
    const last = this.#stretches.at(-1);
    return first === undefined || last === undefined ? undefined : [first.source, last.source + last.length];
  }

  /** The part of the text between two positions of the source. */
  between(start: number, end: number): readonly [from: number, to: number] | undefined {
    let from: number | undefined;
    let to = 0;
    for (const { at, length, source } of this.#stretches) {
      const first = Math.max(start, source);
      const last = Math.min(end, source + length);
      if (first >= last) continue;
      from ??= at + first - source;
      to = at + last - source;
    }
    return from === undefined ? undefined : [from, to];
  }

  /** The first range that ends after `at`. */
  #findFirstAt(at: number): number {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const stretch = this.#stretches[middle];
      if (stretch !== undefined && stretch.at + stretch.length <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
