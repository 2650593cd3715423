import { codePoints } from '../../model/text/codePoints.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { JsonObject } from '../../model/text/json.ts';
import type { Citation, NormalizedEntryMetadata, Trajectory } from '../../model/transcript/metadata.ts';
import { code, describeCall } from '../shared/describe.ts';
import { field, objects } from '../shared/guards.ts';
import type { NormalizedRun, SourceLine } from '../shared/normalizer/normalizedRun.ts';
import {
  citationWithoutText,
  citationInContent,
  MessageMap,
  type GivenCitation,
} from '../../model/transcript/citations.ts';
import { attachmentText, partOf, type Part } from './wire.ts';

const maxAnnotations = 10_000;

interface TextEntry {
  entry: NormalizedEntry;
  text: string;
  /** Code points. */
  points: number;
  readonly cited: (Citation | Trajectory)[];
}

/** The visible content of a part: `length` code points from `lead` on. */
interface VisibleContent {
  readonly text: string;
  readonly lead: number;
  readonly length: number;
  /** The content is text of the message. */
  readonly isMessageText: boolean;
}

/** The messages of a run, part by part. Consecutive text parts are one entry. */
export class MessageEntries {
  readonly #run: NormalizedRun;
  /** Parts of the current message so far. */
  #partCount = 0;
  #isOpen = false;
  #userText: string[] | undefined;
  #last: TextEntry | undefined;
  #messageMap = new MessageMap<TextEntry>();
  /** Sources that arrived before their text. */
  #pendingCitations: GivenCitation[] = [];
  /** Messages so far: the agent's, and repeated ones. */
  #agentMessageCount = 0;
  #repeatedMessageCount = 0;
  #steps = 0;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  startMessage(message: JsonObject, line: SourceLine): void {
    if (this.#isOpen) this.#end(line);
    this.#isOpen = true;
    this.#partCount = 0;
    this.#userText = message['role'] === 'user' ? [] : undefined;
  }

  /** `false` if its metadata is of an unknown kind; the part itself is shown. */
  readPart(value: JsonObject, line: SourceLine): boolean {
    this.#isOpen = true;
    this.#partCount += 1;
    const part = partOf(value);
    if (this.#userText !== undefined) this.#userText.push(part.text ?? `\n\n${attachmentText(part)}\n\n`);
    else if (part.name !== undefined) this.#addArtifact(part, part.name, line);
    else this.#addUnnamedPart(part, line);
    return !part.hasOtherMetadata;
  }

  /** The complete message; adds parts that were not streamed. */
  completeMessage(message: JsonObject, line: SourceLine): boolean {
    if (!this.#isOpen) this.startMessage(message, line);
    const parts = objects(message['parts']);
    const known = parts.slice(this.#partCount).map((part) => this.readPart(part, line));
    if (this.#userText === undefined) this.#agentMessageCount += 1;
    else this.#repeatedMessageCount += 1;
    this.#end(line);
    return known.every((isKnown) => isKnown);
  }

  /** The result of the run; adds messages that were not streamed. */
  addOutput(messages: readonly JsonObject[], line: SourceLine): void {
    let [completed, repeated] = [this.#agentMessageCount, this.#repeatedMessageCount];
    const [next, ...rest] = messages.filter(({ role }) => (role === 'user' ? repeated-- : completed--) <= 0);
    const isOther = next === undefined || (next['role'] === 'user') !== (this.#userText !== undefined);
    if (this.#isOpen && isOther) this.#end(line);
    if (next !== undefined) this.completeMessage(next, line);
    for (const message of rest) this.completeMessage(message, line);
  }

  /** The stream has ended, possibly within a message. */
  close(line: Pick<SourceLine, 'timestamp'>): void {
    if (this.#isOpen) this.#end(line);
  }

  #addUnnamedPart(part: Part, line: SourceLine): void {
    const shown = shownPart(part, this.#isStreaming);
    if (shown === undefined) {
      for (const step of part.trajectories) this.#addStep(step, line);
      this.#addCitations(part.citations);
      return;
    }
    const { entry, from } = this.#addText(shown, line);
    const range = { start_index: from, end_index: from + shown.length };
    // A step stays with its text.
    this.#addAnnotations(entry, [
      ...part.citations.map((citation) => citationInContent(citation, from, shown.length)),
      ...part.trajectories.map((step) => ({ ...step, ...range })),
    ]);
  }

  get #isStreaming(): boolean {
    return this.#run.texts.streaming === 'text' && this.#last !== undefined;
  }

  /** The entry that has it now, and where its content begins there. */
  #addText(shown: VisibleContent, { timestamp }: SourceLine): { readonly entry: TextEntry; readonly from: number } {
    const { texts, session } = this.#run;
    const before = this.#isStreaming ? this.#last : undefined;
    const entry = texts.piece('text', shown.text, timestamp, session.metadata());
    const last = before ?? { entry, text: '', points: 0, cited: [] };
    this.#last = last;
    const isJoint = last.text !== '' && codePoints(last.text.slice(-1) + shown.text.slice(0, 1)) === 1;
    const joint = isJoint ? 1 : 0;
    const from = last.points - joint + shown.lead;
    last.text += shown.text;
    last.points += codePoints(shown.text) - joint;
    this.#messageMap.addEntry(last);
    if (shown.isMessageText) this.#messageMap.addText(last, from, shown.length, joint);
    return { entry: last, from };
  }

  /** Ranges of sources without content count over the text of the message. */
  #addCitations(citations: readonly GivenCitation[], isWhole = false): void {
    const byEntry = new Map<TextEntry, Citation[]>();
    for (const citation of citations) {
      const placed = this.#messageMap.place(citation, isWhole);
      if (placed === undefined) {
        if (this.#pendingCitations.length < maxAnnotations) this.#pendingCitations.push(citation);
        continue;
      }
      const cited = byEntry.get(placed.entry) ?? [];
      cited.push(placed.citation);
      byEntry.set(placed.entry, cited);
    }
    for (const [entry, cited] of byEntry) this.#addAnnotations(entry, cited);
  }

  #addAnnotations(at: TextEntry, annotations: readonly (Citation | Trajectory)[]): void {
    if (annotations.length === 0) return;
    at.cited.push(...annotations.slice(0, maxAnnotations - at.cited.length));
    const metadata = { ...at.entry.metadata, annotations: [...at.cited] };
    at.entry = { ...at.entry, metadata };
    const { texts, writer } = this.#run;
    if (this.#isStreaming && at === this.#last) texts.annotate(metadata);
    else writer.put({ ...at.entry, content: at.text });
  }

  /** A step with a tool name is a call; any other is a thought. */
  #addStep(step: Trajectory, { timestamp }: SourceLine): void {
    const { texts, writer, context, session } = this.#run;
    const metadata: NormalizedEntryMetadata = { ...session.metadata(), annotations: [step] };
    const message = step.message ?? '';
    texts.close();
    if (step.tool_name === undefined || step.tool_name === null || step.tool_name === '') {
      if (message === '') return;
      writer.add({ type: { kind: 'thinking', reasoning: message }, content: message, timestamp, metadata });
      return;
    }
    this.#steps += 1;
    const { tool_name: toolName, tool_input: input, tool_output: output } = step;
    const action = { kind: 'tool', ...(input !== undefined && { input }) } as const;
    const tool = {
      toolName,
      callId: `step-${this.#steps}`,
      action,
      ...(input !== undefined && { input }),
      status: 'success' as const,
      ...(output !== undefined && { result: { data: output } }),
      startedAt: timestamp,
      endedAt: timestamp,
    };
    const title = describeCall(toolName, action, context.workDir);
    const content = message === '' ? title : `${title}\n\n${message}`;
    writer.add({ type: { kind: 'tool_use', tool }, content, timestamp, metadata });
  }

  /** A named part is an artifact of the agent. */
  #addArtifact(part: Part, name: string, line: SourceLine): void {
    for (const step of part.trajectories) this.#addStep(step, line);
    const { contentType, bytes, url } = part;
    const title = `Artifact ${code(name)} (${contentType})\n\n`;
    const { text, lead, length } = part.text === undefined ? attachmentPlaceholder(part) : toCodeBlock(part.text);
    const from = codePoints(title) + lead;
    const annotations = part.citations.map((citation) => citationInContent(citation, from, length));
    this.#run.system('artifact', title + text, line.timestamp, {
      artifact: { name, contentType, url: url ?? null, bytes: bytes ?? null },
      ...(annotations.length > 0 && { annotations }),
    });
  }

  #end({ timestamp }: Pick<SourceLine, 'timestamp'>): void {
    const waiting = this.#pendingCitations;
    this.#pendingCitations = [];
    this.#addCitations(waiting, true);
    this.#run.texts.close();
    if (this.#userText !== undefined) this.#run.addEchoedPrompt(this.#userText.join(''), timestamp);
    if (this.#pendingCitations.length > 0) {
      const annotations = this.#pendingCitations.map(citationWithoutText);
      this.#pendingCitations = [];
      this.#run.system('citation', 'Sources without a text', timestamp, { annotations });
    }
    this.#isOpen = false;
    this.#userText = undefined;
    this.#last = undefined;
    this.#messageMap = new MessageMap();
  }
}

/** `undefined`: the part has no content. `isMore`: other content precedes it. */
function shownPart(part: Part, isMore: boolean): VisibleContent | undefined {
  const { contentType, text, bytes, url } = part;
  if (text !== undefined && text !== '') {
    if (!/^application\//i.test(contentType)) return { text, lead: 0, length: codePoints(text), isMessageText: true };
    return withSeparators(toCodeBlock(text), '\n\n', '\n\n');
  }
  if (bytes === undefined && url === undefined) return undefined;
  return withSeparators(attachmentPlaceholder(part), isMore ? '\n\n' : '', '');
}

function withSeparators(shown: VisibleContent, before: string, after: string): VisibleContent {
  return { ...shown, text: before + shown.text + after, lead: before.length + shown.lead };
}

/** Placeholder for content that is not text. */
function attachmentPlaceholder(part: Part): VisibleContent {
  const text = attachmentText(part);
  return { text, lead: 0, length: codePoints(text), isMessageText: false };
}

/** The complete text as a code block. */
function toCodeBlock(text: string): VisibleContent {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return { text: `${fence}\n${text}\n${fence}`, lead: fence.length + 1, length: codePoints(text), isMessageText: true };
}

/** The text of a message, for people. */
export function messageText(message: unknown): string {
  const parts = objects(field(message, 'parts')).map(partOf);
  return parts.map((part) => part.text ?? attachmentText(part)).join('\n');
}
