import * as z from 'zod';
import type { AgentRequest, Answer } from '../../model/agent/request.ts';

/** Input of `vitrine attach`, typed or as JSON. */
export type AttachInput =
  | { readonly type: 'answer'; readonly request: string; readonly answer: Answer }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'stop' }
  | { readonly type: 'invalid'; readonly message: string };

const jsonSchema = z.union([
  z.object({
    answer: z.object({
      request: z.string(),
      decision: z.enum(['allow', 'deny']),
      reason: z.string().optional(),
      /** In the order of the questions, or by their texts. */
      answers: z.union([z.array(z.string()), z.custom<object>(isTextRecord)]).optional(),
    }),
  }),
  z.object({ say: z.string().min(1) }),
  z.object({ stop: z.literal(true) }),
]);

/** Parses one line of `vitrine attach --json`: an object with `answer`, `say` or `stop`. */
export function parseJsonInput(line: string, waiting: readonly AgentRequest[] = []): AttachInput {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return invalidInput('The line is not JSON.');
  }
  const parsed = jsonSchema.safeParse(json);
  if (!parsed.success) return invalidInput('Unknown command. Use {"answer": …}, {"say": …} or {"stop": true}.');
  if ('stop' in parsed.data) return { type: 'stop' };
  if ('say' in parsed.data) return { type: 'say', text: parsed.data.say };
  const { request, decision, reason, answers } = parsed.data.answer;
  if (decision === 'deny') return { type: 'answer', request, answer: toDenial(reason) };
  return {
    type: 'answer',
    request,
    answer:
      answers === undefined
        ? { kind: 'allow', scope: 'once' }
        : {
            kind: 'answer',
            answers: answersInOrder(
              answers,
              waiting.find(({ id }) => id === request),
            ),
          },
  };
}

function answersInOrder(answers: object, request: AgentRequest | undefined): string[] {
  const answerById = new Map<string, string>(Object.entries(answers));
  if (Array.isArray(answers) || request?.questions === undefined) return [...answerById.values()];
  return request.questions.map(({ question }) => answerById.get(question) ?? '');
}

/** Unlike zod's record, accepts any key, such as `__proto__`. */
function isTextRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((answer) => typeof answer === 'string');
}

/**
 * Parses a typed line. `y` and `n [reason]` answer the oldest pending request, a number or text answers a question,
 * `/stop` stops the run. Anything else is a message to the agent.
 */
export function parseTypedInput(line: string, [waiting]: readonly AgentRequest[]): AttachInput | null {
  const text = line.trim();
  if (text === '') return null;
  if (text === '/stop') return { type: 'stop' };
  if (waiting === undefined) return { type: 'say', text };
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  const request = waiting.id;
  if (/^no?$/i.test(word)) return { type: 'answer', request, answer: toDenial(rest === '' ? undefined : rest) };
  if (waiting.kind === 'question') return answerQuestion(waiting, text);
  if (/^y(?:es)?$/i.test(text)) return { type: 'answer', request, answer: { kind: 'allow', scope: 'once' } };
  if (waiting.session !== undefined && /^a(?:lways)?$/i.test(text))
    return { type: 'answer', request, answer: { kind: 'allow', scope: 'session' } };
  return invalidInput('The agent is waiting for an answer. Type y to allow, n to deny, or n and a reason.');
}

function answerQuestion({ id, questions = [] }: AgentRequest, text: string): AttachInput {
  const [question, ...others] = questions;
  if (question === undefined) return invalidInput('This request cannot be answered here. Type n to decline.');
  if (others.length > 0)
    return invalidInput('The agent asks several questions. Answer them in VS Code, or type n to decline.');
  const chosen = question.options[Number(text) - 1]?.label;
  if (chosen === undefined && !question.freeText)
    return invalidInput(`Type a number from 1 to ${question.options.length}.`);
  return { type: 'answer', request: id, answer: { kind: 'answer', answers: [chosen ?? text] } };
}

function toDenial(reason: string | undefined): Answer {
  return { kind: 'deny', ...(reason !== undefined && { reason }) };
}

function invalidInput(message: string): AttachInput {
  return { type: 'invalid', message };
}
