import type { DialogueHost, NewRequest } from '../../../src/agents/dialogue.ts';
import type { Answer, Decision } from '../../../src/model/agent/request.ts';

/** A question of an agent, which a test decides. */
export interface AskedQuestion {
  readonly request: NewRequest;
  readonly decide: (answer: Answer, by?: Decision['by']) => Promise<void>;
  withdrawn: boolean;
}

/** Adds each question of a dialogue to `asked`. */
export function recordQuestions(asked: AskedQuestion[]): DialogueHost['ask'] {
  return (request, withdrawn) =>
    new Promise((resolve) => {
      const question: AskedQuestion = {
        request,
        withdrawn: false,
        decide: async (answer, by = 'user') => {
          resolve({ by, at: '', answer });
          // The dialogue answers in later microtasks.
          await new Promise(setImmediate);
        },
      };
      void withdrawn?.then(() => {
        question.withdrawn = true;
        resolve({ by: 'withdrawn', at: '', answer: { kind: 'deny' } });
      });
      asked.push(question);
    });
}
