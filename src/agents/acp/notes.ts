import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { JsonObject } from '../../model/text/json.ts';
import { limitDepth } from '../shared/bounds.ts';
import { code } from '../shared/describe.ts';
import { nonEmpty } from '../shared/guards.ts';
import type { NormalizedRun } from '../shared/normalizer/normalizedRun.ts';
import { contentsText, contentText } from './wire.ts';

const maxCompactions = 100;

/** Notes of an agent outside the conversation: notices, compactions, subagents, questions. */
export class Notes {
  readonly #run: NormalizedRun;
  readonly #compactions = new Map<string, { entry: NormalizedEntry; status: string; summary: string }>();

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** `false` if the update is of an unknown kind. */
  readUpdate(kind: string, update: JsonObject, timestamp: string): boolean {
    switch (kind) {
      case 'notice': {
        const shown = [nonEmpty(update['title']), nonEmpty(update['description'])].filter((part) => part !== undefined);
        this.#run.addSideEntry('notice', shown.join('\n\n'), timestamp, {
          severity: nonEmpty(update['severity']) ?? null,
        });
        return true;
      }
      case 'compaction_update':
        this.#updateCompaction(update, nonEmpty(update['status']), contentsText(update['summary']), timestamp, false);
        return true;
      case 'compaction_summary_chunk':
        this.#updateCompaction(update, undefined, contentText(update['content']) ?? '', timestamp, true);
        return true;
      default:
        return false;
    }
  }

  subagent(update: JsonObject, timestamp: string): void {
    const name = nonEmpty(update['title']) ?? nonEmpty(update['description']) ?? nonEmpty(update['sessionId']) ?? '';
    this.#run.addSideEntry('subagent', `Subagent: ${code(name)}`, timestamp, {
      childSessionId: nonEmpty(update['sessionId']) ?? null,
    });
  }

  readNotification(method: string, params: JsonObject, timestamp: string): boolean {
    if (method === '$/cancel_request') return true;
    if (method !== 'elicitation/complete') return false;
    this.#run.addSideEntry('question', 'The question was answered in another place.', timestamp, {
      elicitationId: nonEmpty(params['elicitationId']) ?? null,
    });
    return true;
  }

  readRequest(method: string, params: JsonObject, timestamp: string): boolean {
    if (method !== 'elicitation/create') return false;
    this.#run.addSideEntry('question', nonEmpty(params['message']) ?? 'The agent asks a question.', timestamp, {
      requestedSchema: limitDepth(params['requestedSchema'] ?? null),
    });
    return true;
  }

  #updateCompaction(
    update: JsonObject,
    status: string | undefined,
    text: string,
    timestamp: string,
    isDelta: boolean,
  ): void {
    const id = nonEmpty(update['compactionId']) ?? '';
    const known = this.#compactions.get(id);
    const now = status ?? known?.status ?? 'in_progress';
    const summary = isDelta ? (known?.summary ?? '') + text : text === '' ? (known?.summary ?? '') : text;
    const error = nonEmpty(update['error']);
    const title = `The conversation was summarized (${now.replaceAll('_', ' ')})`;
    const content = [title, error, summary].filter((part) => part !== undefined && part !== '').join('\n\n');
    if (known !== undefined) {
      const entry = { ...known.entry, content };
      this.#run.writer.put(entry);
      this.#compactions.set(id, { entry, status: now, summary });
      return;
    }
    if (this.#compactions.size >= maxCompactions) this.#compactions.clear();
    const entry = this.#run.addSideEntry('compaction', content, timestamp);
    this.#compactions.set(id, { entry, status: now, summary });
  }
}
