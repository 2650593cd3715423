/** Characters at the end of a text that are searched. */
const searchedCharacters = 4000;

const fence = /^ {0,3}(?:`{3}|~{3})/;
const rule = /^\s*(?:[-*_]\s*){3,}$/;
const heading = /^ {0,3}#{1,6}\s/;
const inlineCode = /`+[^`]*`+/g;
const address = /https?:\/\/\S+/gi;

/** Lines of a list that may follow a question as choices. */
const item = /^\s*(?:[-*+•]|[*_]{0,2}\(?(?:\d{1,3}|[a-z])[.):][*_]{0,2})\s/i;
const indented = /^(?: {2}|\t)/;

/** Choices after the question mark: `(y/n)`. */
const choice = /[([]\s*\p{L}{1,8}(?:\s*[/|]\s*\p{L}{1,8}){1,4}\s*[)\]]\s*:?\s*$/u;
/** What may follow a question mark: quotes, brackets, marks of emphasis, and emoji. */
const trailing = String.raw`[\s*_~"'\p{Pe}\p{Pf}\p{Pi}!！…\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Cf}\ufe0f]*$`;
/** The Armenian mark is inside the word that is asked about; the Greek one is a semicolon. */
const questionMark = new RegExp(String.raw`(?:[?？؟፧\u037e]|\p{Script=Greek};|՞\p{L}*[։:.]?)${trailing}`, 'u');

/**
 * Whether a Markdown text ends with a question, not counting the choices after it. Code, URLs and headings do not count,
 * except a heading at the end.
 */
export function endsWithQuestion(text: string): boolean {
  const lines = findProseAtEnd(text).filter((line, at, { length }) => at === length - 1 || !heading.test(line));
  let isChoice = false;
  let question = '';
  for (const [at, line] of lines.entries()) {
    isChoice = at > 0 && (item.test(line) || (isChoice && indented.test(line)));
    if (!isChoice) question = line;
  }
  return endsWithQuestionMark(question) || endsWithQuestionMark(lines.at(-1) ?? '');
}

const endsWithQuestionMark = (line: string): boolean => questionMark.test(line.replace(choice, ''));

/** Lines that contain more than code or a rule. */
function findProseAtEnd(text: string): string[] {
  let inFence = endsInFence(text.slice(0, -searchedCharacters));
  const lines: string[] = [];
  for (const line of text.slice(-searchedCharacters).split('\n')) {
    if (isFence(line)) inFence = !inFence;
    else if (!inFence && line.trim() !== '' && !rule.test(line)) lines.push(withoutCode(line));
  }
  return lines;
}

function endsInFence(text: string): boolean {
  let inFence = false;
  for (let at = 0, end = 0; end !== -1; at = end + 1) {
    end = text.indexOf('\n', at);
    if (isFence(text.slice(at, end === -1 ? undefined : end))) inFence = !inFence;
  }
  return inFence;
}

/** Three backticks followed by others on the same line are inline code. */
function isFence(line: string): boolean {
  const [opening] = fence.exec(line) ?? [];
  if (opening === undefined || opening.endsWith('~')) return opening !== undefined;
  let end = opening.length;
  while (line[end] === '`') end += 1;
  return !line.includes('`', end);
}

/** A question mark at the end of a URL belongs to the sentence if a word precedes it. */
function withoutCode(line: string): string {
  return line
    .replace(inlineCode, 'x')
    .replace(address, (found) => (/[\p{L}\p{N}]\?[^\p{L}\p{N}?]*$/u.test(found) ? 'x?' : 'x'));
}
