import { reportMarkdown } from '../../formats/pages/reportMarkdown.ts';
import type { BuiltReport } from './reportKind.ts';

/** Return value of commands that open a report. */
export function markdownOf(built: BuiltReport | undefined): string | undefined {
  return built === undefined ? undefined : reportMarkdown(built.report);
}
