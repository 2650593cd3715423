/** Something of the workspace that goes to an agent with the prompt. */
export interface Excerpt {
  /** `src/app.js:10-14`, for people. */
  readonly label: string;
  /** Markdown, appended to the prompt. */
  readonly text: string;
}

const longest = 40_000;

/** Lines count from 1, and include both ends. */
interface Place {
  /** As an agent in the folder would write it. */
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
}

export function placeText({ path, from, to }: Place): string {
  if (from === undefined) return path;
  return to === undefined || to === from ? `${path}:${from}` : `${path}:${from}-${to}`;
}

/** A place alone, or with the text that is there, in a fence that nothing in the text can close. */
export function excerpt(place: Place, code?: { readonly text: string; readonly language: string }): Excerpt {
  const label = placeText(place);
  if (code === undefined) return { label, text: label };
  const whole = code.text.replace(/\r?\n$/, '');
  const cut = whole.length > longest;
  const shown = cut ? whole.slice(0, longest).replace(/[^\n]*$/, '') : `${whole}\n`;
  const rest = cut ? `\n(${whole.length - shown.length} more characters, not shown here)` : '';
  const ticks = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(ticks + 1);
  const language = /^[\w+#.-]*$/.test(code.language) ? code.language : '';
  return { label, text: `${label}\n${fence}${language}\n${shown}${fence}${rest}` };
}

/** The prompt as the agent gets it. */
export function withExcerpts(prompt: string, excerpts: readonly Excerpt[]): string {
  return [prompt.trim(), ...excerpts.map(({ text }) => text)].join('\n\n');
}
