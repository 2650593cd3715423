import { codeOf, findDisguises } from '../../model/requestCode.ts';
import type { AgentRequest } from '../../model/agent/request.ts';
import { characterName, quoteSafely as inQuotes, visibleLine } from '../../model/text/visibleText.ts';

/** Maximum number of printed characters of a tool's input. */
const maxInput = 4000;

/**
 * A pending request with the possible inputs. The agent's words are quoted. Commands and files are shown exactly, one
 * per line, whatever the title says.
 */
export function requestText(agent: string, request: AgentRequest): string {
  const { kind, title, plan, questions = [], session } = request;
  const lines = [`${agent} asks${kind === 'permission' ? ' for permission' : ''}: ${quoteSafely(title)}`];
  if (kind === 'permission') lines.push(...subjectLines(request), ...warnings(request));
  if (plan !== undefined) lines.push(...plan.split('\n').map((line) => `  | ${visibleLine(line)}`));
  for (const question of questions) {
    lines.push(`  ${quoteSafely(question.question)}`);
    question.options.forEach(({ label }, index) => lines.push(`    ${index + 1}  ${quoteSafely(label)}`));
  }
  lines.push(`  ${choices(kind, session !== undefined)}`);
  return lines.join('\n');
}

function subjectLines({ action, toolName, input, cwd }: AgentRequest): string[] {
  const lines: string[] = [];
  const add = (name: string, text: string | undefined): void => {
    if (text !== undefined && text !== '') lines.push(`  ${name}: ${visibleLine(text, 'code')}`);
  };
  switch (action?.kind) {
    case 'command_run':
      add('Command', action.command);
      break;
    case 'file_edit':
      for (const { path } of action.changes) add('File', path);
      break;
    case 'file_write':
    case 'file_read':
    case 'search':
      add('File', action.path);
      break;
    case 'web_fetch':
      add('Address', action.url);
      break;
    case 'mcp':
      add('Server', action.server);
      add('Tool', action.tool);
      add('Input', inputText(input));
      break;
    default:
      add('Tool', toolName);
      add('Input', inputText(input));
  }
  add('Folder', cwd);
  return lines;
}

function inputText(input: unknown): string | undefined {
  if (input === undefined) return undefined;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  if (text.length <= maxInput) return text;
  return `${text.slice(0, maxInput)} … (${text.length} characters in all)`;
}

function warnings(request: AgentRequest): string[] {
  const { hiddenCharacters, scripts, lookAlikes } = findDisguises([request.title, ...codeOf(request)]);
  const confusable = lookAlikes.map((lookAlike) => `${lookAlike} (${characterName(lookAlike)})`);
  return [
    ...(hiddenCharacters.length > 0
      ? [`  Warning: it contains invisible characters: ${listed(hiddenCharacters)}.`]
      : []),
    ...(scripts.length > 0
      ? [`  Warning: it mixes letters of different alphabets in one word: ${listed(scripts)}.`]
      : []),
    ...(confusable.length > 0
      ? [`  Warning: it contains characters that look like others: ${listed(confusable)}.`]
      : []),
  ];
}

const listed = (all: readonly string[]): string => `${all.slice(0, 8).join(', ')}${all.length > 8 ? ', …' : ''}`;

function choices(kind: AgentRequest['kind'], offersSession: boolean): string {
  if (kind === 'question') return 'Type a number or an answer; n declines.';
  return `Type y to allow, ${offersSession ? 'a to allow for this session, ' : ''}n to deny, or n and a reason.`;
}

/** Quotes text so that it cannot end the quotation. */
function quoteSafely(text: string): string {
  return inQuotes(visibleLine(text, 'code'));
}
