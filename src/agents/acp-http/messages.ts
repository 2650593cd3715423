import { codePoints } from '../../model/codePoints.ts';
import type { NormalizedEntry } from '../../model/entry.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Citation, NormalizedEntryMetadata, Trajectory } from '../../model/metadata.ts';
import { code, describeCall } from '../shared/describe.ts';
import { field, objects } from '../shared/guards.ts';
import type { Run, SourceLine } from '../shared/run.ts';
import { attachmentText, partOf, type Part } from './wire.ts';

const maxAnnotations = 10_000;

interface TextEntry {
  entry: NormalizedEntry;
  text: string;
  points: number;
  readonly cited: Citation[];
}

/** The messages of a run, part by part. Text parts that follow each other are one entry. */
export class Messages {
  readonly #run: Run;
  /** Parts of the message that is coming, by now. */
  #parts = 0;
  #open = false;
  #human: string[] | undefined;
  #last: TextEntry | undefined;
  /** Sources that came before any text. */
  #waiting: Citation[] = [];
  #completed = 0;
  #steps = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  created(message: JsonObject, line: SourceLine): void {
    if (this.#open) this.#end(line);
    this.#open = true;
    this.#parts = 0;
    this.#human = message['role'] === 'user' ? [] : undefined;
  }

  /** `false` where its metadata is of a kind that is not known: the part itself is shown. */
  part(value: JsonObject, line: SourceLine): boolean {
    this.#open = true;
    this.#parts += 1;
    const part = partOf(value);
    if (this.#human !== undefined) this.#human.push(part.text ?? attachmentText(part));
    else if (part.name !== undefined) this.#artifact(part, part.name, line);
    else this.#anonymous(part, line);
    return !part.otherMetadata;
  }

  /** The message as a whole. Parts that did not come by themselves are taken from it. */
  completed(message: JsonObject, line: SourceLine): boolean {
    if (!this.#open) this.created(message, line);
    const parts = objects(message['parts']);
    const known = parts.slice(this.#parts).map((part) => this.part(part, line));
    this.#end(line);
    this.#completed += 1;
    return known.every((each) => each);
  }

  /** What the run came to: messages that the stream did not have are taken from it. */
  output(messages: readonly JsonObject[], line: SourceLine): void {
    const [next, ...rest] = messages.slice(this.#completed);
    if (this.#open && next === undefined) this.#end(line);
    if (next !== undefined) this.completed(next, line);
    for (const message of rest) this.completed(message, line);
  }

  /** The stream is over, in the middle of a message or not. */
  close(line: Pick<SourceLine, 'timestamp'>): void {
    if (this.#open) this.#end(line);
  }

  #anonymous(part: Part, line: SourceLine): void {
    for (const step of part.trajectories) this.#step(step, line);
    const before = this.#streams ? (this.#last?.points ?? 0) : 0;
    const own = part.text !== undefined && part.text !== '';
    if (own) this.#say(shownText(part, part.text), line);
    else if (part.bytes !== undefined || part.url !== undefined) {
      this.#say(`${before === 0 ? '' : '\n\n'}${attachmentText(part)}`, line);
    }
    if (part.citations.length === 0) return;
    // A range is relative to the content that it comes with; without any, to the text so far.
    this.#cite(part.citations.map((each) => shifted(each, own ? before : 0)));
  }

  get #streams(): boolean {
    return this.#run.texts.streaming === 'text' && this.#last !== undefined;
  }

  #say(shown: string, { timestamp }: SourceLine): void {
    const { texts, session } = this.#run;
    const last = this.#streams ? this.#last : undefined;
    const entry = texts.piece('text', shown, timestamp, session.metadata());
    if (last === undefined) {
      this.#last = { entry, text: shown, points: codePoints(shown), cited: [] };
    } else {
      const joint = codePoints(last.text.slice(-1) + shown.slice(0, 1)) === 1 && last.text !== '' ? 1 : 0;
      last.text += shown;
      last.points += codePoints(shown) - joint;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) this.#cite(waiting);
  }

  #cite(citations: readonly Citation[]): void {
    const last = this.#last;
    if (last === undefined) {
      if (this.#waiting.length < maxAnnotations) this.#waiting.push(...citations);
      return;
    }
    if (last.cited.length < maxAnnotations) last.cited.push(...citations);
    const metadata = { ...last.entry.metadata, annotations: [...last.cited] };
    last.entry = { ...last.entry, metadata };
    const { texts } = this.#run;
    if (texts.streaming === 'text') texts.annotate(metadata);
    else texts.replace(last.entry, 'text', last.text);
  }

  /** A step that names a tool is a call of it, any other a thought. */
  #step(step: Trajectory, { timestamp }: SourceLine): void {
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

  /** A part with a name is something the agent made. */
  #artifact(part: Part, name: string, line: SourceLine): void {
    for (const step of part.trajectories) this.#step(step, line);
    const { contentType, bytes, url } = part;
    const body = part.text === undefined ? attachmentText(part) : fenced(part.text);
    const annotations = part.citations.length === 0 ? {} : { annotations: [...part.citations] };
    this.#run.system('artifact', `Artifact ${code(name)} (${contentType})\n\n${body}`, line.timestamp, {
      artifact: { name, contentType, url: url ?? null, bytes: bytes ?? null },
      ...annotations,
    });
  }

  #end({ timestamp }: Pick<SourceLine, 'timestamp'>): void {
    this.#run.texts.close();
    if (this.#human !== undefined) this.#run.echoedPrompt(this.#human.join('\n'), timestamp);
    if (this.#waiting.length > 0) {
      const annotations = this.#waiting;
      this.#waiting = [];
      this.#run.system('citation', 'Sources without a text', timestamp, { annotations });
    }
    this.#open = false;
    this.#human = undefined;
    this.#last = undefined;
  }
}

/** All of a text as a code block. */
function fenced(shown: string): string {
  const longest = (shown.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}`;
}

function shownText({ contentType }: Part, shown: string): string {
  return /^application\//i.test(contentType) ? `\n\n${fenced(shown)}\n\n` : shown;
}

function shifted(cited: Citation, by: number): Citation {
  const moved = { ...cited };
  if (typeof moved.start_index === 'number') moved.start_index += by;
  if (typeof moved.end_index === 'number') moved.end_index += by;
  return moved;
}

/** The text of a message, for people. */
export function messageText(message: unknown): string {
  const parts = objects(field(message, 'parts')).map(partOf);
  return parts.map((part) => part.text ?? attachmentText(part)).join('\n');
}
