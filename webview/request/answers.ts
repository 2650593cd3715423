import type { AgentRequest } from '../../src/model/agent/request.ts';
import type { AnswerDraft } from './answerDraft.ts';

/**
 * The answers in the order of the questions, or `undefined` while one is missing. Several labels are joined by ", ".
 */
export function answersOf({ questions = [] }: AgentRequest, draft: AnswerDraft): string[] | undefined {
  const answers = questions.map(({ options }, at) => {
    const picked = options.map(({ label }) => label).filter((label) => draft.picks[at]?.includes(label) === true);
    const other = draft.other[at]?.trim() ?? '';
    return [...picked, ...(other === '' ? [] : [other])].join(', ');
  });
  if (answers.length === 0 || answers.includes('')) return undefined;
  return answers;
}

/** The draft after the user selected `label` of question `at`, or cleared it if `several` are allowed. */
export function pickAnswer(draft: AnswerDraft, at: number, label: string, several: boolean): Partial<AnswerDraft> {
  const picksBefore = draft.picks[at] ?? [];
  const now = several
    ? picksBefore.includes(label)
      ? picksBefore.filter((chosen) => chosen !== label)
      : [...picksBefore, label]
    : [label];
  // With a single answer, a choice replaces typed text.
  return { picks: withValue(draft.picks, at, now, []), ...(!several && { other: withValue(draft.other, at, '', '') }) };
}

/** The draft after `text` was typed as the answer to question `at`. */
export function type(draft: AnswerDraft, at: number, text: string, several: boolean): Partial<AnswerDraft> {
  const clears = !several && text.trim() !== '';
  return { other: withValue(draft.other, at, text, ''), ...(clears && { picks: withValue(draft.picks, at, [], []) }) };
}

function withValue<T>(list: readonly T[], at: number, value: T, blank: T): T[] {
  return Array.from({ length: Math.max(list.length, at + 1) }, (_, n) => (n === at ? value : (list[n] ?? blank)));
}
