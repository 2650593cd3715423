/** Part of the workspace that is sent with the prompt. */
export interface Excerpt {
  /** Such as `src/app.js:10-14`, for display. */
  readonly label: string;
  /** Markdown, appended to the prompt. */
  readonly text: string;
}

const longest = 40_000;

/** Lines are 1-based and inclusive. */
interface Place {
  /** Relative to the agent's folder. */
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
}

export function placeText({ path, from, to }: Place): string {
  if (from === undefined) return path;
  return to === undefined || to === from ? `${path}:${from}` : `${path}:${from}-${to}`;
}

/** A location, optionally with its text in a code fence that the text cannot close. */
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

/** Prompt for the agent. */
export function withExcerpts(prompt: string, excerpts: readonly Excerpt[]): string {
  return [prompt.trim(), ...excerpts.map(({ text }) => text)].join('\n\n');
}
