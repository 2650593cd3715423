import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { NormalizedRun } from '../../shared/normalizer/normalizedRun.ts';
import type { Speaker } from './speaker.ts';

type Kind = 'text' | 'thinking';

interface Stream {
  readonly kind: Kind;
  readonly speaker: Speaker;
  entry: NormalizedEntry;
  /** Text of the entry. */
  shown: string;
  /** Text received under this id: shorter than `shown` while it repeats an abandoned answer. */
  own: string;
  isRepeat: boolean;
}

/** Thoughts whose id is remembered, to recognize a repeated one. */
const maxDone = 1000;
const maxRecent = 100;
/** Texts that stream at the same time, and agents that write. */
const maxOpen = 1000;

/**
 * Messages and thoughts of models. Each text arrives in pieces on `…_delta` lines, then complete; a thought also in the
 * next message. Each has one entry.
 */
export class Texts {
  readonly #run: NormalizedRun;
  /** Open streams by kind and id. */
  readonly #open = new Map<string, Stream>();
  readonly #completedTexts = new Map<string, { readonly entry: NormalizedEntry; text: string }>();
  /** Complete messages, by id: one that is printed again is the same. */
  readonly #messages = new Map<string, string>();
  /** Ids of the thoughts since the last message, by agent. */
  readonly #recentThoughtIds = new Map<string, string[]>();
  /** Thoughts that arrived with a message, before their own lines; by agent. */
  readonly #earlyThoughts = new Map<string, string[]>();

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** The next piece of a message or thought. */
  piece(kind: Kind, id: string, delta: string, speaker: Speaker): void {
    if (delta === '' || (kind === 'thinking' && this.#completedTexts.has(id))) return;
    const stream = this.#open.get(key(kind, id)) ?? this.#begin(kind, id, speaker);
    if (stream === undefined) {
      this.#start(kind, id, delta, speaker);
      return;
    }
    const at = stream.own.length;
    stream.own += delta;
    if (stream.isRepeat && stream.shown.startsWith(delta, at)) return;
    if (stream.isRepeat && !delta.startsWith(stream.shown.slice(at))) {
      this.#startSeparateText(stream, id);
      return;
    }
    const rest = delta.slice(Math.max(0, stream.shown.length - at));
    stream.isRepeat = false;
    stream.shown = stream.own;
    this.#run.writer.append(stream.entry.index, rest);
  }

  /** A complete message, with the thought before it. */
  message(id: string | undefined, content: string, reasoning: string, speaker: Speaker): void {
    this.#addReasoning(reasoning, speaker);
    const { open: stream, id: streamId } = this.#streamOf(id, content, speaker);
    if (stream !== undefined) this.#finish(stream, streamId, content === '' ? stream.own : content);
    else if (content !== '' && (id === undefined || this.#messages.get(id) !== content)) {
      this.#add('text', content, speaker);
    }
    if (id === undefined || content === '') return;
    this.#messages.set(id, content);
    if (this.#messages.size > maxDone) this.#messages.clear();
  }

  /** Pieces may lack the id that their message has, or the message may lack theirs. */
  #streamOf(id: string | undefined, content: string, { agent }: Speaker): { open: Stream | undefined; id: string } {
    const named = id === undefined ? undefined : this.#open.get(key('text', id));
    if (named !== undefined && id !== undefined) return { open: named, id };
    for (const [place, stream] of this.#open) {
      const other = place.slice(stream.kind.length + 1);
      if (stream.kind !== 'text' || stream.speaker.agent !== agent || (id !== undefined && other !== '')) continue;
      if (content.startsWith(stream.own)) return { open: stream, id: other };
    }
    return { open: undefined, id: '' };
  }

  /** A complete thought. */
  reasoning(id: string, content: string, speaker: Speaker): void {
    const stream = this.#open.get(key('thinking', id));
    const done = this.#completedTexts.get(id);
    if (stream !== undefined) {
      this.#finish(stream, id, content === '' ? stream.own : content);
    } else if (done !== undefined) {
      if (content === '' || content === done.text) return;
      this.#run.texts.replace(done.entry, 'thinking', content);
      done.text = content;
    } else if (!this.#wasShownEarly(content, speaker) && content !== '') {
      this.#keep(id, this.#add('thinking', content, speaker), content);
      this.#addRecent(id, speaker);
    }
  }

  /** Whatever is open was interrupted. */
  end(): void {
    for (const stream of this.#open.values()) this.#abortStream(stream);
    this.#open.clear();
  }

  #addReasoning(whole: string, speaker: Speaker): void {
    const ids = this.#recentThoughtIds.get(speaker.agent) ?? [];
    this.#recentThoughtIds.delete(speaker.agent);
    if (whole === '') return;
    const thoughts = ids.map(
      (id) => this.#open.get(key('thinking', id))?.own ?? this.#completedTexts.get(id)?.text ?? '',
    );
    if (thoughts.some((_, from) => isSameText(thoughts.slice(from).join(''), whole))) {
      for (const id of ids) {
        const stream = this.#open.get(key('thinking', id));
        if (stream !== undefined) this.#finish(stream, id, stream.own);
      }
      return;
    }
    const [only] = ids;
    const stream = only === undefined ? undefined : this.#open.get(key('thinking', only));
    if (only !== undefined && stream !== undefined && ids.length === 1 && whole.startsWith(stream.own)) {
      this.#finish(stream, only, whole);
      return;
    }
    this.#add('thinking', whole, speaker);
    const earlyThoughts = this.#earlyThoughts.get(speaker.agent) ?? [];
    earlyThoughts.push(whole);
    if (this.#earlyThoughts.size >= maxOpen) this.#earlyThoughts.clear();
    this.#earlyThoughts.set(speaker.agent, earlyThoughts.slice(-maxRecent));
  }

  #wasShownEarly(content: string, { agent }: Speaker): boolean {
    const earlyThoughts = this.#earlyThoughts.get(agent);
    const at = earlyThoughts?.indexOf(content) ?? -1;
    if (at === -1) return false;
    earlyThoughts?.splice(at, 1);
    return true;
  }

  /** An abandoned answer is requested again: while the new one repeats the old, it continues its entry. */
  #begin(kind: Kind, id: string, speaker: Speaker): Stream | undefined {
    for (const [before, stream] of this.#open) {
      if (stream.kind !== kind || stream.speaker.agent !== speaker.agent) continue;
      this.#open.delete(before);
      this.#open.set(key(kind, id), stream);
      if (kind === 'thinking') this.#addRecent(id, speaker);
      stream.own = '';
      stream.isRepeat = true;
      return stream;
    }
    return undefined;
  }

  #start(kind: Kind, id: string, text: string, speaker: Speaker): void {
    const { timestamp, metadata } = speaker;
    const type = kind === 'text' ? ({ kind: 'assistant_message' } as const) : { kind, reasoning: text };
    const entry = this.#run.writer.add({ type, content: text, timestamp, metadata, open: true });
    this.#open.set(key(kind, id), { kind, speaker, entry, shown: text, own: text, isRepeat: false });
    if (kind === 'thinking') this.#addRecent(id, speaker);
    if (this.#open.size <= maxOpen) return;
    for (const [oldest, stream] of this.#open) {
      this.#open.delete(oldest);
      this.#abortStream(stream);
      return;
    }
  }

  /** The new answer turns out to be different. */
  #startSeparateText(stream: Stream, id: string): void {
    this.#abortStream(stream);
    this.#start(stream.kind, id, stream.own, stream.speaker);
  }

  #finish(stream: Stream, id: string, whole: string): void {
    this.#open.delete(key(stream.kind, id));
    let { entry } = stream;
    if (stream.isRepeat && !whole.startsWith(stream.shown)) {
      this.#abortStream(stream);
      entry = this.#add(stream.kind, whole, stream.speaker);
    } else {
      this.#run.texts.replace(entry, stream.kind, whole, { counted: stream.speaker.counted });
    }
    if (stream.kind === 'thinking') this.#keep(id, entry, whole);
  }

  #abortStream({ kind, entry, shown, speaker }: Stream): void {
    const cut = { ...entry, metadata: { ...entry.metadata, aborted: true } };
    this.#run.texts.replace(cut, kind, shown, { counted: speaker.counted });
  }

  #add(kind: Kind, content: string, { timestamp, metadata, counted }: Speaker): NormalizedEntry {
    return this.#run.texts.add(kind, content, timestamp, metadata, { counted });
  }

  #keep(id: string, entry: NormalizedEntry, text: string): void {
    this.#completedTexts.set(id, { entry, text });
    if (this.#completedTexts.size <= maxDone) return;
    for (const oldest of this.#completedTexts.keys()) {
      this.#completedTexts.delete(oldest);
      return;
    }
  }

  #addRecent(id: string, { agent }: Speaker): void {
    const recent = this.#recentThoughtIds.get(agent) ?? [];
    if (!recent.includes(id)) recent.push(id);
    if (this.#recentThoughtIds.size >= maxOpen) this.#recentThoughtIds.clear();
    this.#recentThoughtIds.set(agent, recent.slice(-maxRecent));
  }
}

function key(kind: Kind, id: string): string {
  return `${kind} ${id}`;
}

/** The complete text has line breaks between the parts. */
function isSameText(a: string, b: string): boolean {
  return a.replaceAll(/\s+/g, '') === b.replaceAll(/\s+/g, '');
}
