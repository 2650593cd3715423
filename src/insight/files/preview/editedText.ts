import type { AgentRequest, EditedText } from '../../../model/agent/request.ts';

/**
 * The user's version of a requested edit, for the answer: the whole text for a tool that writes whole files, otherwise
 * the changed lines with enough lines around them to be unique. `before`: the file, `null` if there is none.
 */
export function editedText({ action }: AgentRequest, path: string, before: string | null, after: string): EditedText {
  if (action?.kind === 'file_write' || before === null || before === '') return { path, newText: after };
  const [old, now] = [before.split('\n'), after.split('\n')];
  const shorter = Math.min(old.length, now.length);
  let [start, end] = [0, 0];
  while (start < shorter && old[start] === now[start]) start += 1;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  for (;;) {
    const oldText = old.slice(start, old.length - end).join('\n');
    const isOnly = oldText !== '' && before.indexOf(oldText) === before.lastIndexOf(oldText);
    // Some agents trim spaces and line breaks at the ends of a text.
    const isSolid =
      oldText.trim() !== '' &&
      now
        .slice(start, now.length - end)
        .join('\n')
        .trim() !== '';
    if ((isOnly && isSolid) || (start === 0 && end === 0))
      return { path, oldText, newText: now.slice(start, now.length - end).join('\n') };
    start = Math.max(0, start - 1);
    end = Math.max(0, end - 1);
  }
}
