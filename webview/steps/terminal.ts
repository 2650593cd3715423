import { until } from 'lit/directives/until.js';
import { visibleTemplate } from '../text/shown.ts';
import { settledLines, withColoursOnly, withoutTerminalCodes } from '../text/visible.ts';

/** Outputs with cached elements. */
const maxKept = 40;

const saved = new Map<string, Promise<unknown>>();

/** Output of a program as it finally looked on screen, with its colours. */
export function terminal(output: string): unknown {
  const known = saved.get(output);
  const colours = known === undefined ? withColoursOnly(output) : '';
  if (colours === undefined) return plain(output);
  return until(known ?? colour(output, colours), plain(output));
}

function plain(output: string): unknown {
  return visibleTemplate(settledLines(withoutTerminalCodes(output)));
}

function colour(output: string, colours: string): Promise<unknown> {
  const drawn = import('./colours.ts').then(
    ({ coloured }) => coloured(settledLines(colours)),
    () => plain(output),
  );
  const [oldest] = saved.keys();
  if (saved.size >= maxKept && oldest !== undefined) saved.delete(oldest);
  saved.set(output, drawn);
  return drawn;
}
