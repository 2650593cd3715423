import type { TemplateResult } from 'lit/html.js';
import { shown } from '../text/shown.ts';
import { settledLines, withoutTerminalCodes } from '../text/visible.ts';

/** Output of a program as it stood on screen in the end. */
export function terminal(output: string): TemplateResult | string {
  return shown(settledLines(withoutTerminalCodes(output)));
}
