import type { JsonObject } from '../../model/json.ts';
import type { ToolStatus } from '../../model/tool.ts';
import { field } from '../shared/guards.ts';

/** The CLI's fixed texts, for versions that have no field that says so. */
const denials = [
  /^Claude requested permissions to .+, but you haven't granted it yet/s,
  /^This command requires approval$/,
  /^Permission to use .+ has been denied/s,
];
const interruptions = [
  /\[Request interrupted by user/,
  /^The user doesn't want to (?:proceed with this tool use|take this action)/,
];

/** How a call ended: by what the line says of it (`tool_result_meta`), and only where that is silent by fixed texts. */
export function resultStatus(shown: string, isError: boolean, meta: JsonObject | undefined): ToolStatus {
  const decision = field(meta?.['permission_decision'], 'decision');
  if (decision === 'reject' || decision === 'deny') return 'denied';
  if (!isError) return 'success';
  const reason = meta?.['non_execution_kind'];
  if (reason === 'user-rejected' || reason === 'interrupted') return 'cancelled';
  if (reason === 'permission-rule') return 'denied';
  if (denials.some((pattern) => pattern.test(shown))) return 'denied';
  return interruptions.some((pattern) => pattern.test(shown)) ? 'cancelled' : 'failed';
}
