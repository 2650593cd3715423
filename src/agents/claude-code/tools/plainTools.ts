import type { ToolCalls } from './calls.ts';
import { resultText } from '../../shared/resultText.ts';
import type { Line } from '../line.ts';
import { resultStatus } from './toolOutcome.ts';
import { isTrue, nonEmpty } from '../../shared/guards.ts';

/**
 * Tool calls as separate lines (`{"type":"tool_use","tool":"Read","input":{…}}`, `{"type":"tool_result",…}`), as in the first
 * description of the format. No measured version prints them. `false`: a line without a tool or an id.
 */
export function readPlainToolLine(line: Line, calls: ToolCalls): boolean {
  const { message, parentCallId, timestamp } = line;
  const name = nonEmpty(message['tool']) ?? nonEmpty(message['name']);
  const metadata = line.metadata();
  if (message['type'] === 'tool_use') {
    const id = nonEmpty(message['id']);
    if (name === undefined) return false;
    calls.start({
      id: id ?? calls.makeId(),
      name,
      input: message['input'],
      parentCallId,
      timestamp,
      metadata,
      isWhole: true,
    });
    return true;
  }
  const id = nonEmpty(message['tool_use_id']) ?? nonEmpty(message['id']) ?? calls.oldestOpenCall(name);
  if (id === undefined) return false;
  const text = resultText(message['output'] ?? message['content']);
  const isError = isTrue(message['is_error']);
  const status = resultStatus(text, isError, undefined);
  return calls.addResult({ id, text, isError, status, detail: undefined, parentCallId, timestamp, metadata });
}
