import type { AgentRequest, Answer, Decision, Question } from '../../model/agent/request.ts';
import type { FileChange, ToolAction } from '../../model/transcript/tool.ts';
import { isShallow, tooDeep } from './bounds.ts';
import { code, codeBlock, describeCall } from './describe.ts';

/** A request and its decision as Markdown. The entry's metadata has all details. */
export function requestText(request: AgentRequest, decision: Decision | undefined, workDir: string): string {
  const what = requestedAction(request, workDir);
  const head = decision === undefined ? requestVerbs[request.kind] : decisionText(request, decision);
  const parts = [what === '' ? head : `${head}: ${what}`];
  if (decision !== undefined) parts.push(...decisionDetails(request, decision.answer));
  parts.push(...requestDetails(request));
  return parts.join('\n\n');
}

const requestVerbs = {
  permission: 'Asks for permission',
  question: 'Asks',
  plan: 'Asks you to approve its plan',
} as const;

function requestedAction({ kind, toolName, action, title }: AgentRequest, workDir: string): string {
  if (kind !== 'permission') return '';
  return action === undefined ? code(title) : describeCall(toolName ?? title, action, workDir);
}

const denials = {
  user: 'Denied',
  timeout: 'Denied: no answer in time',
  withdrawn: 'Withdrawn by the agent',
  run_over: 'Not answered: the run ended',
  nobody: 'Denied: no one available to answer',
  policy: 'Denied by a rule',
} as const;

function decisionText({ kind }: AgentRequest, { by, answer }: Decision): string {
  if (answer.kind === 'deny') return denials[by];
  if (answer.kind === 'answer') return 'Answered';
  if (kind === 'plan') return 'Plan approved';
  const scope = answer.scope === 'once' ? 'Allowed once' : 'Allowed for this session';
  const allowed = answer.edited === undefined ? scope : `${scope}, with edits by a person`;
  return by === 'policy' ? `${allowed}, by a rule` : allowed;
}

function decisionDetails({ session, questions = [] }: AgentRequest, answer: Answer): string[] {
  switch (answer.kind) {
    case 'allow': {
      const { scope, edited } = answer;
      return [
        ...(scope === 'session' && session !== undefined ? [`For the session: ${code(session)}`] : []),
        ...(edited === undefined
          ? []
          : [
              'Allowed with this text:',
              codeBlock(changeText({ kind: 'update', ...edited })),
              'Requested by the agent:',
            ]),
      ];
    }
    case 'deny': {
      const reasons = answer.reason === undefined || answer.reason === '' ? [] : [quote(answer.reason)];
      return answer.interrupt === true ? [...reasons, 'This ended the turn.'] : reasons;
    }
    case 'answer':
      return answer.answers.map((text, at) => `${code(questions[at]?.question ?? '')}\n\n${quote(text)}`);
  }
}

function requestDetails({ action, input, description, reason, plan, questions }: AgentRequest): string[] {
  const parts: string[] = [];
  if (description !== undefined) parts.push(`The agent says: ${code(description)}`);
  if (reason !== undefined) parts.push(`Why it asks: ${code(reason)}`);
  if (plan !== undefined) parts.push(quote(plan));
  else if (questions !== undefined) parts.push(...questions.map(questionText));
  else parts.push(...actionText(action, input));
  return parts;
}

function questionText({ question, options }: Question): string {
  const lines = options.map(({ label, description }) =>
    description === undefined ? `- ${code(label)}` : `- ${code(label)}: ${code(description)}`,
  );
  return [code(question), ...lines].join('\n');
}

function actionText(action: ToolAction | undefined, input: unknown): string[] {
  switch (action?.kind) {
    case 'command_run':
      return [codeBlock(action.command)];
    case 'file_write':
      return action.content === undefined ? [] : [codeBlock(action.content)];
    case 'file_edit':
      return action.changes.map((change) => codeBlock(changeText(change)));
    case 'mcp':
    case 'tool':
      return inputText(action.input);
    case undefined:
      return inputText(input);
    default:
      return [];
  }
}

function inputText(input: unknown): string[] {
  if (input === undefined) return [];
  return [codeBlock(isShallow(input) ? JSON.stringify(input, null, 2) : tooDeep)];
}

function changeText({ path, patch, oldText, newText }: FileChange): string {
  if (patch !== undefined) return patch;
  const prefixLines = (sign: string, text: string | undefined): string[] =>
    text === undefined || text === '' ? [] : text.split('\n').map((line) => `${sign}${line}`);
  return [path, ...prefixLines('-', oldText), ...prefixLines('+', newText)].join('\n');
}

/** Prefixes every line, so that nothing in it can end the quotation. */
function quote(content: string): string {
  return content.replaceAll(/\r\n?/g, '\n').replaceAll(/^/gm, '> ');
}
