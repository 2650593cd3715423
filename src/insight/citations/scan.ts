import { Cues, isConditional } from './cues.ts';
import { layoutOf, type CodeSpan, type Layout } from './layout.ts';
import { outcomeAfter, outcomeClaims } from './outcomes.ts';
import { namedPath, type NamedPath } from './pathNames.ts';
import { looksLikeCommand, programKind } from './programs.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import type { LineRange, Mention, TextRange } from './types.ts';

/** Beyond this many, an answer is not looked at any further. */
const maxMentions = 20_000;

/**
 * What an answer says that the session can be asked about: files, lines, commands, addresses, and how tests, builds and
 * checks went. Looks at the text only; linear in it. In the order of the text, without overlaps.
 */
export function mentionsIn(text: string): Mention[] {
  return new Scan(text).run();
}

const address = /https?:\/\/[^\s<>"'`\])}|\\，。；、（）【】「」《》]+/g;
// Folders of some frameworks stand in brackets: `app/[slug]/page.tsx`.
const word =
  /(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{M}_@.+\-–/\\~$:#%=]|(?<=\/)\[{1,2}[\w.-]{1,60}\]{1,2}(?=\/))+/gu;

interface Around {
  readonly before: string;
  readonly after: string;
  readonly sentence: string;
  readonly cues: Cues;
}

class Scan {
  readonly #text: string;
  readonly #layout: Layout;
  readonly #taken: Uint8Array;
  readonly #mentions: Mention[] = [];
  readonly #sentences: readonly Sentence[];
  readonly #cues = new Map<number, Cues>();
  #sentence = 0;

  constructor(text: string) {
    this.#text = text;
    this.#layout = layoutOf(text);
    this.#taken = new Uint8Array(text.length);
    this.#sentences = sentencesOf(this.#layout.flat);
  }

  run(): Mention[] {
    // What says most comes first: a command that passed is one claim, not a command and a claim.
    this.#restart();
    for (const span of this.#layout.spans) this.#commandOutcome(span);
    this.#restart();
    for (const { range, target } of this.#layout.links) this.#link(range, target);
    this.#restart();
    for (const span of this.#layout.spans) this.#span(span);
    this.#restart();
    for (const found of this.#layout.prose.matchAll(address)) this.#address(found.index, found[0]);
    this.#restart();
    for (const found of this.#layout.prose.matchAll(word)) this.#word(found.index, found[0]);
    for (const sentence of this.#sentences) this.#outcomes(sentence);
    return this.#mentions.sort((a, b) => a.range[0] - b.range[0]);
  }

  #restart(): void {
    this.#sentence = 0;
  }

  /** `cargo test` passes. */
  #commandOutcome({ range, inner }: CodeSpan): void {
    const command = this.#text.slice(...inner).trim();
    const kind = programKind(command);
    if (kind === undefined || (!command.includes(' ') && namedPath(command) !== undefined)) return;
    const told = outcomeAfter(this.#layout.flat.slice(range[1], range[1] + 80));
    if (told === undefined) return;
    const hedged = isConditional(this.#clauseBefore(range[0]));
    const whole: TextRange = [range[0], range[1] + told.length];
    // A single word names a program, whatever it was given.
    const what = command.includes(' ') ? { command } : { tool: command };
    this.#add({ range: whole, kind, ...what, outcome: told.outcome, hedged });
  }

  #link(range: TextRange, target: string): void {
    if (/^https?:\/\//i.test(target)) {
      this.#add({ range, kind: 'url', url: target, hedged: this.#hedgedAddress(range, target) });
      return;
    }
    const named = namedPath(target.replace(/^file:\/\//, ''));
    if (named !== undefined) this.#file(range, named, true);
  }

  #span({ range, inner }: CodeSpan): void {
    if (this.#isFull || this.#isTaken(range)) return;
    const shown = this.#text.slice(...inner).trim();
    if (/^https?:\/\/\S+$/i.test(shown)) {
      this.#add({ range, kind: 'url', url: shown, hedged: this.#hedgedAddress(range, shown) });
      return;
    }
    const named = /\s/.test(shown) ? undefined : namedPath(shown);
    if (named !== undefined) {
      this.#file(range, named, true);
      return;
    }
    const { before, cues } = this.#around(range);
    const reported = cues.reportsRun(before.length) && looksLikeCommand(shown) && !cues.proposal;
    this.#add({ range, kind: 'command', command: shown, hedged: !reported });
  }

  #address(at: number, shown: string): void {
    const url = shown.replace(/[.,;:!?*_~]+$/, '');
    const range: TextRange = [at, at + url.length];
    this.#add({ range, kind: 'url', url, hedged: this.#hedgedAddress(range, url) });
  }

  #word(at: number, shown: string): void {
    const bare = shown.replace(/[.:#=%$+~–-]+$/, '');
    if (!bare.includes('.') && !bare.includes('/')) return;
    const lead = /^[:#=%–-]+/.exec(bare)?.[0].length ?? 0;
    const named = namedPath(bare.slice(lead));
    if (named !== undefined) this.#file([at + lead, at + bare.length], named, false);
  }

  /** `quoted`: as code or a link, so that somebody meant a file. */
  #file(range: TextRange, { path, lines, bare }: NamedPath, quoted: boolean): void {
    if (this.#isFull || this.#isTaken(range)) return;
    const told = lines === undefined ? this.#linesBeside(range) : undefined;
    const whole = told?.range ?? range;
    const at = lines ?? told?.lines;
    const { before, after, cues } = this.#around(whole);
    const did = cues.doneWith(before.length, after);
    // A name in prose without a folder may be that of a product.
    const hedged =
      cues.proposal || (bare && !quoted && at === undefined && !/\.(?:md|json|ya?ml|toml|lock)$/i.test(path));
    this.#add({
      range: whole,
      kind: at === undefined ? 'file' : 'lines',
      path,
      ...(at !== undefined && { lines: at }),
      ...(did !== undefined && { did }),
      hedged,
    });
  }

  /** "`a.ts` (lines 3–5)", "line 3 of `a.ts`". */
  #linesBeside([start, end]: TextRange): { readonly range: TextRange; readonly lines: LineRange } | undefined {
    const behind = linesBehind.exec(this.#layout.prose.slice(end, end + 60));
    const first = Number(behind?.[1] ?? behind?.[3] ?? 0);
    if (behind !== null && first > 0) {
      const last = Number(behind[2] ?? behind[4] ?? first);
      return { range: [start, end + behind[0].length], lines: [first, Math.max(first, last)] };
    }
    const from = Math.max(0, start - 40);
    const front = linesInFront.exec(this.#layout.prose.slice(from, start));
    if (front?.[1] === undefined || Number(front[1]) === 0) return undefined;
    const last = Number(front[2] ?? front[1]);
    return { range: [from + front.index, end], lines: [Number(front[1]), Math.max(Number(front[1]), last)] };
  }

  #outcomes({ start, end }: Sentence): void {
    const sentence = this.#layout.flat.slice(start, end);
    for (const claim of outcomeClaims(sentence)) {
      const { kind, outcome, count, tool } = claim;
      const range: TextRange = [start + claim.start, start + claim.end];
      const hedged = isConditional(lastClause(sentence.slice(0, claim.start)));
      if (hedged) continue;
      this.#add({
        range,
        kind,
        ...(outcome !== undefined && { outcome }),
        ...(count !== undefined && { count }),
        ...(tool !== undefined && { tool }),
        hedged,
      });
    }
  }

  #hedgedAddress(range: TextRange, url: string): boolean {
    if (/^https?:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\]|[\w-]+\.local\b)/i.test(url)) return true;
    return furtherReading.test(this.#around(range).sentence);
  }

  #clauseBefore(at: number): string {
    return lastClause(this.#around([at, at]).before);
  }

  /** The sentence that a range begins in; ranges are asked for in ascending order between two restarts. */
  #around([start, end]: TextRange): Around {
    while ((this.#sentences[this.#sentence]?.end ?? Infinity) <= start) this.#sentence += 1;
    const { flat } = this.#layout;
    const sentence = this.#sentences[this.#sentence] ?? { start, end };
    const from = Math.min(sentence.start, start);
    let cues = this.#cues.get(from);
    if (cues === undefined) this.#cues.set(from, (cues = new Cues(flat.slice(from, sentence.end))));
    return {
      before: flat.slice(from, start),
      after: flat.slice(end, Math.max(end, Math.min(sentence.end, end + 60))),
      sentence: flat.slice(from, sentence.end),
      cues,
    };
  }

  get #isFull(): boolean {
    return this.#mentions.length >= maxMentions;
  }

  #isTaken([start, end]: TextRange): boolean {
    return this.#taken.subarray(start, end).includes(1);
  }

  #add(mention: Omit<Mention, 'claim'>): void {
    if (this.#isFull || this.#isTaken(mention.range)) return;
    this.#taken.fill(1, ...mention.range);
    this.#mentions.push({ ...mention, claim: this.#text.slice(...mention.range) });
  }
}

const lineWord = String.raw`(?:lines?|L|Zeilen?|lignes?|l[ií]neas?|linhas?|righe|riga|строк[аие])`;
const to = String.raw`\s{0,2}(?:-|–|—|~|～|to|bis|à|a|至|到)\s{0,2}`;
const linesBehind = new RegExp(
  String.raw`^[\x60*_"'”»」)]{0,4}[,:]?\s{0,2}[(（,]?\s{0,2}(?:(?:at|in|on|around|starting at|from) )?(?:${lineWord}\s{0,2}(\d{1,7})(?:${to}L?(\d{1,7}))?|第?\s{0,2}(\d{1,7})(?:${to}(\d{1,7}))?\s{0,2}行)(?!\w|\.\d)[)）]?`,
  'iu',
);
const linesInFront = new RegExp(
  String.raw`(?<!\p{L})${lineWord}\s{1,2}(\d{1,7})(?:${to}(\d{1,7}))?\s(?:of|in|from|von|de|du|di|в)\s(?:the file\s)?[\x60*_"'“„«「]{0,4}$`,
  'iu',
);

const furtherReading = /\b(?:if you|to read more|for more|further reading|learn more|see also)\b/i;

/** What of a sentence stands after its last comma or the like. */
function lastClause(before: string): string {
  const at = Math.max(
    ...[',', ';', ':', '，', '；', '、', '：', ' but ', ' aber ', ' mais ', ' pero '].map((mark) =>
      before.lastIndexOf(mark),
    ),
  );
  return before.slice(at + 1);
}
