import type { AgentRequest } from '../../model/request.ts';
import { visibleLine } from '../../model/visibleText.ts';

/** A waiting request for a terminal, with what can be typed. Everything of the agent is quoted and visible. */
export function requestText(agent: string, request: AgentRequest): string {
  const { kind, title, action, plan, questions = [], session } = request;
  const lines = [`${agent} asks${kind === 'permission' ? ' for permission' : ''}: ${quoted(title)}`];
  if (action?.kind === 'command_run') lines.push(`  Command: ${quoted(action.command)}`);
  if (plan !== undefined) lines.push(...plan.split('\n').map((line) => `  | ${visibleLine(line)}`));
  for (const question of questions) {
    lines.push(`  ${quoted(question.question)}`);
    question.options.forEach(({ label }, index) => lines.push(`    ${index + 1}  ${quoted(label)}`));
  }
  lines.push(`  ${choices(kind, session !== undefined)}`);
  return lines.join('\n');
}

function choices(kind: AgentRequest['kind'], offersSession: boolean): string {
  if (kind === 'question') return 'Type a number or an answer; n declines.';
  return `Type y to allow, ${offersSession ? 'a to allow for this session, ' : ''}n to deny, or n and a reason.`;
}

function quoted(text: string): string {
  return `"${visibleLine(text)}"`;
}
