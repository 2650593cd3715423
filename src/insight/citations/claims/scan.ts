import { claimScope, isEarlierRun } from './claimScope.ts';
import { commandLines } from './commandLines.ts';
import { SentenceCues, isConditional, claimsOwnChange } from './cues.ts';
import { layoutOf, type CodeSpan, type Layout } from './layout.ts';
import { sharedOutcome } from './outcomeAfter.ts';
import { outcomeClaims } from './outcomeClaims.ts';
import { leadingLines, trailingLines } from './lineWords.ts';
import { isMember, linkedPath, namedPath, pathWithSpaces, type NamedPath } from '../sources/pathNames.ts';
import { looksLikeCommand, programKind } from '../commands/programs.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import type { LineRange, Mention, TextRange } from '../types.ts';
import { wholeUrl } from '../sources/urls.ts';

/** An answer with more claims than this is not searched further. */
const maxMentions = 20_000;

/**
 * Claims of an answer that the session can confirm: files, lines, commands, URLs, and outcomes of tests, builds and checks.
 * Uses only the text; linear in it. In text order, without overlaps.
 */
export function mentionsIn(text: string): Mention[] {
  return new Scan(text).run();
}

const address = /https?:\/\/[^\s<>"'`\]}|\\，。；、（）【】「」《》]+/gi;
// Some frameworks have brackets in folder names: `app/[slug]/page.tsx`.
const word =
  /(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{M}_@.+\-–/\\~$:#%=]|(?<=\/)\[{1,2}[\w.-]{1,60}\]{1,2}(?=\/))+/gu;

interface Surroundings {
  readonly before: string;
  readonly after: string;
  readonly sentence: string;
  readonly cues: SentenceCues;
}

class Scan {
  readonly #text: string;
  readonly #layout: Layout;
  readonly #claimedMask: Uint8Array;
  readonly #mentions: Mention[] = [];
  readonly #sentences: readonly Sentence[];
  readonly #cuesByStart = new Map<number, SentenceCues>();
  #sentence = 0;

  constructor(text: string) {
    this.#text = text;
    this.#layout = layoutOf(text);
    this.#claimedMask = new Uint8Array(text.length);
    this.#sentences = sentencesOf(this.#layout.unmarkedProse);
  }

  run(): Mention[] {
    // The most specific claim comes first: a command that passed is one claim, not a command and an outcome.
    this.#restart();
    this.#addCommandOutcomes();
    this.#restart();
    for (const { range, target } of this.#layout.links) this.#addLink(range, target);
    this.#restart();
    for (const span of this.#layout.spans) this.#addSpan(span);
    this.#restart();
    for (const found of this.#layout.prose.matchAll(address)) this.#addWholeAddress(found.index, found[0]);
    this.#restart();
    for (const found of this.#layout.prose.matchAll(word)) this.#addWord(found.index, found[0]);
    for (const sentence of this.#sentences) this.#addOutcomes(sentence);
    for (const { start, lines } of this.#layout.shells) {
      for (const line of commandLines(this.#text, start, lines))
        this.#add({ range: line, kind: 'command', command: this.#text.slice(...line), hedged: true });
    }
    return this.#mentions.sort((a, b) => a.range[0] - b.range[0]);
  }

  #restart(): void {
    this.#sentence = 0;
  }

  /** `cargo test` passes; also for several commands with one outcome. */
  #addCommandOutcomes(): void {
    const { spans, unmarkedProse } = this.#layout;
    const stated = sharedOutcome(spans, unmarkedProse);
    for (const [at, { range, contentRange }] of spans.entries()) {
      const command = this.#text.slice(...contentRange).trim();
      const statedOutcome = stated[at];
      if (statedOutcome === undefined) continue;
      const kind = programKind(command) ?? (command.includes(' ') && looksLikeCommand(command) ? 'command' : undefined);
      if (kind === undefined || (!command.includes(' ') && namedPath(command) !== undefined)) continue;
      const { outcome, count, failures, length } = statedOutcome;
      const end = range[1] + length;
      this.#add({
        range: [range[0], end],
        kind,
        // A single word names a program with any arguments.
        ...(command.includes(' ') ? { command } : { tool: command }),
        ...(outcome !== undefined && { outcome }),
        ...(kind === 'test' && count !== undefined && { count }),
        ...(kind === 'test' && failures !== undefined && { failures }),
        ...(kind !== 'command' && this.#findScope(range[1], end, outcome)),
        hedged: isConditional(this.#findClauseBefore(range[0])),
      });
    }
  }

  /** The scope of an outcome claim, from the words around it. */
  #findScope(from: number, to: number, outcome: Mention['outcome']): Pick<Mention, 'scope' | 'past'> {
    const { unmarkedProse } = this.#layout;
    const start = Math.max(0, unmarkedProse.lastIndexOf('\n', from) + 1, from - 200);
    const stop = unmarkedProse.indexOf('\n', to);
    const end = Math.min(stop === -1 ? unmarkedProse.length : stop, to + 200);
    const claim = {
      unmarkedText: unmarkedProse.slice(start, end),
      raw: this.#text.slice(start, end),
      start: from - start,
      end: to - start,
      outcome,
    };
    const scope = claimScope(claim);
    return {
      ...(Object.keys(scope).length > 0 && { scope }),
      ...(isEarlierRun(claim) && { past: true as const }),
    };
  }

  #addLink(range: TextRange, target: string): void {
    if (/^https?:\/\//i.test(target)) {
      this.#addUrl(range, target);
      return;
    }
    const named = linkedPath(target);
    if (named !== undefined) this.#addFile(range, named, true);
  }

  #addSpan({ range, contentRange }: CodeSpan): void {
    if (this.#isFull || this.#isTaken(range)) return;
    const shown = this.#text.slice(...contentRange).trim();
    if (/^https?:\/\/\S+$/i.test(shown)) {
      this.#addUrl(range, shown);
      return;
    }
    const named = quotedPath(shown);
    if (named !== undefined) {
      this.#addFile(range, named, true);
      return;
    }
    const { before, after, cues } = this.#findSurroundings(range);
    const reported = cues.reportsRun(before.length, after) && looksLikeCommand(shown) && !cues.isProposal;
    this.#add({ range, kind: 'command', command: shown, hedged: !reported });
  }

  #addWholeAddress(at: number, content: string): void {
    const url = wholeUrl(content);
    const range: TextRange = [at, at + url.length];
    this.#addUrl(range, url);
  }

  #addWord(at: number, content: string): void {
    const ended = content.replace(/[.:#=%$+~–-]+$/, '');
    if (!ended.includes('.') && !ended.includes('/')) return;
    const lead = /^(?:[:#=%–-]|~~)+/.exec(ended)?.[0].length ?? 0;
    // Marks of emphasis around it.
    const emphasis = /^(_{1,3})[^_].*\1$/.exec(ended.slice(lead))?.[1]?.length ?? 0;
    const [start, end] = [lead + emphasis, ended.length - emphasis];
    const named = namedPath(ended.slice(start, end));
    if (named !== undefined) this.#addFile([at + start, at + end], named, false);
  }

  /** `quoted`: as code or a link, so that it is meant as a file. */
  #addFile(range: TextRange, { path, lines, isBare }: NamedPath, quoted: boolean): void {
    if (this.#isFull || this.#isTaken(range)) return;
    const stated = lines === undefined ? this.#findLinesBeside(range) : undefined;
    const whole = stated?.range ?? range;
    const at = lines ?? stated?.lines;
    const { before, after, cues } = this.#findSurroundings(whole);
    const did = cues.findFileUse(before.length, after);
    // In prose, a name without a folder may be a product; in code, a member of an object.
    const isOther = !(quoted || /\.(?:md|json|ya?ml|toml|lock)$/i.test(path)) || isMember(path, did !== undefined);
    const hedged = cues.isProposal || (isBare && at === undefined && isOther);
    this.#add({
      range: whole,
      kind: at === undefined ? 'file' : 'lines',
      path,
      ...(at !== undefined && { lines: at }),
      ...(did !== undefined && { did }),
      ...(did === 'changed' && claimsOwnChange(before, after) && { isOwnChange: true as const }),
      ...(cues.absent && { absent: true as const }),
      hedged,
    });
  }

  /** "`a.ts` (lines 3–5)", "line 3 of `a.ts`". */
  #findLinesBeside([start, end]: TextRange): { readonly range: TextRange; readonly lines: LineRange } | undefined {
    const wordsAfter = leadingLines(this.#layout.prose.slice(end, end + 60));
    if (wordsAfter !== undefined) return { range: [start, end + wordsAfter.length], lines: wordsAfter.lines };
    const from = Math.max(0, start - 60);
    const front = trailingLines(this.#layout.prose.slice(from, start));
    return front === undefined ? undefined : { range: [from + front.at, end], lines: front.lines };
  }

  #addOutcomes({ start, end }: Sentence): void {
    const sentence = this.#layout.unmarkedProse.slice(start, end);
    // A claim may contain a file name: "the tests in `a.test.ts` pass".
    const taken = (from: number, to: number): boolean =>
      this.#isTaken([start + from, start + from + 1]) || this.#isTaken([start + to - 1, start + to]);
    for (const claim of outcomeClaims(sentence, taken)) {
      const { kind, outcome, count, failures, total, tool, command } = claim;
      const whole: TextRange = [start + claim.start, start + claim.end];
      const range = this.#findUnclaimedPart(whole);
      const hedged = isConditional(lastClause(sentence.slice(0, claim.start)));
      if (hedged) continue;
      this.#add({
        range,
        kind,
        ...(outcome !== undefined && { outcome }),
        ...(count !== undefined && { count }),
        ...(failures !== undefined && { failures }),
        ...(total !== undefined && { total }),
        ...this.#findScope(...whole, outcome),
        ...(tool !== undefined && { tool }),
        ...(command !== undefined && { command }),
        hedged,
      });
    }
  }

  #addUrl(range: TextRange, url: string): void {
    const { absent } = this.#findSurroundings(range).cues;
    const hedged = this.#isHedgedAddress(range, url);
    this.#add({ range, kind: 'url', url, ...(absent && { absent: true as const }), hedged });
  }

  #isHedgedAddress(range: TextRange, url: string): boolean {
    if (/^https?:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\]|[\w-]+\.local\b)/i.test(url)) return true;
    return readingSuggestion.test(this.#findSurroundings(range).sentence);
  }

  #findClauseBefore(at: number): string {
    return lastClause(this.#findSurroundings([at, at]).before);
  }

  /** The sentence in which a range begins. Ranges must ascend between two resets. */
  #findSurroundings([start, end]: TextRange): Surroundings {
    while ((this.#sentences[this.#sentence]?.end ?? Infinity) <= start) this.#sentence += 1;
    const { unmarkedProse } = this.#layout;
    const sentence = this.#sentences[this.#sentence] ?? { start, end };
    const from = Math.min(sentence.start, start);
    let cues = this.#cuesByStart.get(from);
    if (cues === undefined)
      this.#cuesByStart.set(from, (cues = new SentenceCues(unmarkedProse.slice(from, sentence.end))));
    return {
      before: unmarkedProse.slice(from, start),
      after: unmarkedProse.slice(end, Math.max(end, Math.min(sentence.end, end + 60))),
      sentence: unmarkedProse.slice(from, sentence.end),
      cues,
    };
  }

  get #isFull(): boolean {
    return this.#mentions.length >= maxMentions;
  }

  /** The part of a range after everything taken from it. */
  #findUnclaimedPart([start, end]: TextRange): TextRange {
    const last = this.#claimedMask.subarray(start, end).lastIndexOf(1);
    if (last === -1) return [start, end];
    const rest = this.#text.slice(start + last + 1, end);
    return [end - rest.trimStart().length, end];
  }

  #isTaken([start, end]: TextRange): boolean {
    return this.#claimedMask.subarray(start, end).includes(1);
  }

  #add(mention: Omit<Mention, 'claim'>): void {
    if (this.#isFull || this.#isTaken(mention.range)) return;
    this.#claimedMask.fill(1, ...mention.range);
    this.#mentions.push({ ...mention, claim: this.#text.slice(...mention.range) });
  }
}

/** Inline code that is a path, with or without lines. */
function quotedPath(content: string): NamedPath | undefined {
  if (!/\s/.test(content)) return namedPath(content);
  const joined = content.replace(/(\d), ?(?=L?\d)/g, '$1,');
  if (!/\s/.test(joined)) return namedPath(joined);
  return looksLikeCommand(content) ? undefined : pathWithSpaces(content);
}

const readingSuggestion = /\b(?:if you|to read more|for more|further reading|learn more|see also)\b/i;

/** The part of a sentence after its last comma or similar. */
function lastClause(before: string): string {
  const at = Math.max(
    ...[',', ';', ':', '，', '；', '、', '：', ' but ', ' aber ', ' mais ', ' pero '].map((mark) =>
      before.lastIndexOf(mark),
    ),
  );
  return before.slice(at + 1);
}
