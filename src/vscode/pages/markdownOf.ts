import { reportMarkdown } from '../../formats/pages/reportMarkdown.ts';
import type { BuiltReport } from './reportKind.ts';

/** What a command that opens a report gives its caller. */
export function markdownOf(built: BuiltReport | undefined): string | undefined {
  return built === undefined ? undefined : reportMarkdown(built.report);
}
