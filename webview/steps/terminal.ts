import { until } from 'lit/directives/until.js';
import { visibleTemplate } from '../text/shown.ts';
import { settledLines, withColorsOnly, withoutTerminalCodes } from '../text/visible.ts';

/** Outputs with cached elements. */
const maxCachedOutputs = 40;

const saved = new Map<string, Promise<unknown>>();

/** Output of a program as it finally looked on screen, with its colors. */
export function terminal(output: string): unknown {
  const known = saved.get(output);
  const colors = known === undefined ? withColorsOnly(output) : '';
  if (colors === undefined) return withoutControlCodes(output);
  return until(known ?? color(output, colors), withoutControlCodes(output));
}

function withoutControlCodes(output: string): unknown {
  return visibleTemplate(settledLines(withoutTerminalCodes(output)));
}

function color(output: string, colors: string): Promise<unknown> {
  const drawn = import('./colors.ts').then(
    ({ renderColors }) => renderColors(settledLines(colors)),
    () => withoutControlCodes(output),
  );
  const [oldest] = saved.keys();
  if (saved.size >= maxCachedOutputs && oldest !== undefined) saved.delete(oldest);
  saved.set(output, drawn);
  return drawn;
}
