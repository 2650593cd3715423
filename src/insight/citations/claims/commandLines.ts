import { SentenceCues } from './cues.ts';
import { looksLikeCommand } from '../commands/programs.ts';
import type { TextRange } from '../types.ts';

/** Characters before a block that may introduce it. */
const lead = 300;
const prompt = /^\s{0,20}(?:\$|PS>|PS [A-Z]:[^>\n]{0,100}>|>)\s{1,4}(?=\S)/;
const invitation = /^[\s>#*+\d.)-]{0,12}(?:to|start|execute|verify|check|then|build|test)\b[^.]{0,80}:\s{0,4}$/i;

const manual =
  /\b(?:usage|how to|examples?|next|install(?:ation)?|set ?up|quick ?start|getting started|reproduce|yourself|locally|you|verwendung|nutzung|beispiel|installation|anleitung)\b/i;

/** The commands of a shell block that begins at `start`; none if it only suggests what someone could do. */
export function commandLines(text: string, start: number, lines: readonly TextRange[]): TextRange[] {
  if (lines.length === 0 || isInvitation(text.slice(Math.max(0, start - lead), start))) return [];
  const prompted = lines.filter((line) => prompt.test(text.slice(...line)));
  // Lines between prompt lines are output.
  return (prompted.length > 0 ? prompted : lines).flatMap(([from, end]) => {
    const line = text.slice(from, end);
    const begin = prompt.exec(line)?.[0].length ?? line.length - line.trimStart().length;
    const command = line
      .slice(begin)
      .replace(/\s#\s[^]*$/, '')
      .trimEnd();
    const isCommand = prompted.length > 0 ? command.length > 1 : looksLikeCommand(command);
    return isCommand ? [[from + begin, from + begin + command.length]] : [];
  });
}

function isInvitation(before: string): boolean {
  const words =
    before
      .trimEnd()
      .split(/\n|[.!?]\s/)
      .at(-1) ?? '';
  const cues = new SentenceCues(words);
  return cues.isProposal || manual.test(words) || (invitation.test(words) && !cues.reportsRun(words.length, ''));
}
