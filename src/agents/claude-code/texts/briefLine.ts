/** A line whose only variable parts are a number and ids. */
export interface BriefLine {
  readonly sessionId: string;
  /** Thinking tokens so far; `undefined`: a block of the stream ended. */
  readonly thinkingTokens: number | undefined;
}

const id = String.raw`[^"\\\u0000-\u001f]*`;
const uuid = '"uuid":"[0-9a-f-]{36}"';
/** A whole number in JSON that a JavaScript number represents exactly. */
const wholeNumber = String.raw`(?:0|[1-9]\d{0,14})`;
const thinkingTokens = `system","subtype":"thinking_tokens","estimated_tokens":(${wholeNumber}),"estimated_tokens_delta":${wholeNumber},"session_id":"(${id})",${uuid}`;
const blockStop = String.raw`stream_event","event":\{"type":"content_block_stop","index":${wholeNumber}\},"session_id":"(${id})","parent_tool_use_id":(?:null|"${id}"),${uuid}(?:,"api_message_id":"${id}")?`;
const brief = new RegExp(String.raw`^\{"type":"(?:${thinkingTokens}|${blockStop})\}$`);

/** When a model thinks, one in eight lines has this form. `undefined` for any other, which must be parsed. */
export function parseBriefLine(line: string): BriefLine | undefined {
  const found = brief.exec(line);
  if (found === null) return undefined;
  const [, tokens, counting, stopping] = found;
  return { sessionId: counting ?? stopping ?? '', thinkingTokens: tokens === undefined ? undefined : Number(tokens) };
}
