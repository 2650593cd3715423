import type { ReachedLimit } from '../../model/usage/budget.ts';
import { reachedNote } from '../budget/liveBudget.ts';
import type { Note } from './note.ts';

/** Transcript notes on how a process ended, beyond its own output. */
export function endNotes(label: string, end: { readonly isLate: boolean; readonly leftovers: number }): Note[] {
  const notes: Note[] = [];
  if (end.isLate) {
    const content = `${label} did not exit after the conversation, so Vitrine ended it.`;
    notes.push({ subtype: 'ended', content });
  }
  if (end.leftovers > 0) {
    const many =
      end.leftovers === 1 ? 'A process that it had started was' : `${end.leftovers} processes that it had started were`;
    notes.push({
      subtype: 'leftovers',
      content: `${many} still running when ${label} exited, so Vitrine ended ${end.leftovers === 1 ? 'it' : 'them'}.`,
    });
  }
  return notes;
}

/** Why Vitrine ended a run: a limit, or `reason`. */
export function endReasonNotes(reached: ReachedLimit | undefined, reason: string | undefined): Note[] {
  return [
    ...(reached === undefined ? [] : [reachedNote(reached)]),
    ...(reason === undefined ? [] : [{ subtype: 'stopped', content: reason }]),
  ];
}
