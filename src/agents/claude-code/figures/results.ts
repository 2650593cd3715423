import type { RunReport } from '../../../model/usage/facts.ts';
import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { ToolCalls } from '../tools/calls.ts';
import { errorCode } from './errors.ts';
import type { Line } from '../line.ts';
import { isAborted, reportedError, reportMetadata, reportText, runReport } from './report.ts';
import type { RunState } from './runState.ts';
import type { Texts } from '../texts/texts.ts';
import { resultLine, type ResultLine } from '../wire.ts';
import { limitDepth } from '../../shared/bounds.ts';
import { parse } from '../../shared/normalizer/lineLog.ts';
import type { EntryWriter } from '../../shared/normalizer/entryWriter.ts';

/** `result` lines: figures, and texts and errors that no earlier line had. A process can print several. */
export class Results {
  readonly #writer: EntryWriter;
  readonly #calls: ToolCalls;
  readonly #texts: Texts;
  readonly #state: RunState;
  readonly reports: RunReport[] = [];

  constructor(writer: EntryWriter, calls: ToolCalls, texts: Texts, state: RunState) {
    this.#writer = writer;
    this.#calls = calls;
    this.#texts = texts;
    this.#state = state;
  }

  line(line: Line, itemized: number): void {
    const result = resultLine(line.message);
    this.reports.push({ ...runReport(result), itemized });
    for (const { callId } of result.denials) if (callId !== undefined) this.#calls.deny(callId, 'Not permitted.');
    const error = reportedError(result);
    const interrupted =
      isAborted(result) || (error !== undefined && error.code === undefined && this.#state.isInterrupted);
    if (interrupted) {
      this.#state.interrupt(line);
    } else if (error !== undefined) {
      const { message } = error;
      const { apiError, errorStatus, errorType } = result;
      const fields = { error: apiError, status: errorStatus, type: errorType, message };
      const refused = result.stopReason === 'refusal' || this.#state.isRefused;
      this.#addError(message, error.code ?? (refused ? 'refusal' : errorCode(fields)) ?? result.subtype, line);
    }
    const shown = result.result ?? '';
    if (error === undefined && shown !== '' && !this.#texts.hasSaid(shown)) {
      this.#texts.message(undefined);
      this.#texts.add('text', shown, [], line, line.metadata());
    }
    if (!this.#calls.hasStructuredOutputCall) this.#addStructuredOutput(result, line);
    this.#writer.add({
      type: { kind: 'system_message', subtype: 'result' },
      content: reportText(result, interrupted),
      timestamp: line.timestamp,
      metadata: line.metadataWith({ result: reportMetadata(result) }),
    });
    this.#state.endTurn();
  }

  /** With `--output-format json`, no earlier line shows the call with this input. */
  #addStructuredOutput({ structured, result = '' }: ResultLine, line: Line): void {
    if (structured === undefined) return;
    const shown = JSON.stringify(limitDepth(structured));
    // The model may have written the same JSON with other whitespace.
    if (this.#texts.hasSaid(shown) || JSON.stringify(limitDepth(parse(result))) === shown) return;
    this.#texts.message(undefined);
    this.#texts.add('text', shown, [], line, line.metadata());
  }

  /** One entry per error, whether its `assistant` line marks it as one or only the `result` line does. */
  #addError(message: string, code: string | undefined, line: Line): void {
    if (this.#state.hasError(message)) return;
    const own = this.#state.syntheticEntry(message);
    if (own !== undefined) {
      this.#texts.retract(own.index);
      this.#replace(own, message, code);
      return;
    }
    this.#state.error(message, code, line.timestamp, line.metadata());
  }

  #replace(entry: NormalizedEntry, message: string, code: string | undefined): void {
    this.#writer.put({ ...entry, type: { kind: 'error', error: { message, ...(code !== undefined && { code }) } } });
    this.#state.addError(message, code);
  }
}
