import type { AgentRequest, EditedText } from '../../../model/agent/request.ts';

/**
 * What a person made of the edit that a request asks about, for its answer: the whole text for a tool that writes whole files,
 * else the changed lines with as many around them as make them the only ones. `before`: the file, `null` if there is none.
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
    // Some agents leave out spaces and line breaks at the ends of a text.
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
