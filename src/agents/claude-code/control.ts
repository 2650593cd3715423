import type { JsonObject } from '../../model/text/json.ts';

/** Lines of the two-way protocol, as Claude Code reads them. */
export const controlLines = {
  user: (text: string): string =>
    line({
      type: 'user',
      session_id: '',
      parent_tool_use_id: null,
      message: { role: 'user', content: [{ type: 'text', text }] },
    }),

  request: (id: string, request: JsonObject): string => line({ type: 'control_request', request_id: id, request }),

  /** Answers a request of the agent. */
  success: (id: string, response: JsonObject): string =>
    line({ type: 'control_response', response: { subtype: 'success', request_id: id, response } }),

  failure: (id: string, error: string): string =>
    line({ type: 'control_response', response: { subtype: 'error', request_id: id, error } }),
} as const;

function line(message: JsonObject): string {
  return JSON.stringify(message);
}
