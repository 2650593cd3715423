import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import { writtenBy } from '../writtenBy.ts';
import { uuidOf } from './shared/ids.ts';
import { jsonArray, objectWithArray } from './shared/jsonText.ts';
import type { Exporter, ExportSource } from './shared/source.ts';
import { isFailed, thinkingTextOf, toolInput, toolOutputText } from './shared/toolFields.ts';

/** A stored message of a checkpoint, with `data` next to its type. */
interface LangChainMessage {
  readonly type: 'human' | 'ai' | 'system' | 'tool';
  readonly id: string;
  readonly content: string | readonly object[];
  readonly additional_kwargs: Readonly<Record<string, unknown>>;
  readonly response_metadata: Readonly<Record<string, unknown>>;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly status?: 'success' | 'error';
}

/** Stored messages for `mapStoredMessagesToChatMessages` of @langchain/core. */
export const langchain: Exporter = {
  write: (source) => jsonArray(stored(source)),
};

async function* stored(source: ExportSource): AsyncGenerator<object> {
  for await (const { type, ...data } of messages(source)) yield { type, data };
}

/** A LangGraph checkpoint with the conversation in the channel `messages`. */
export const langchainCheckpoint: Exporter = {
  async *write(source, { sha256 }) {
    const { session_id: session, updated_at, executor_type, agent_name, total_cost } = source.summary;
    const head = {
      v: 1,
      ts: updated_at,
      id: uuidOf(sha256(`${session} ${updated_at}`)),
      channel_versions: { messages: source.summary.entries },
      versions_seen: {},
      metadata: { source: 'vitrine', session_id: session, executor_type, total_cost },
    };
    yield `${JSON.stringify(head).slice(0, -1)},"channel_values":`;
    // A record has no user id, and summaries are created on demand.
    const values = { session_id: session, userId: null, agentId: agent_name ?? executor_type ?? null, summary: null };
    yield* objectWithArray(values, 'messages', messages(source));
    yield '}\n';
  },
};

async function* messages({ summary, entries }: ExportSource): AsyncGenerator<LangChainMessage> {
  for await (const entry of entries()) yield* messagesOf(entry, `${summary.session_id}-${entry.index}`);
}

function messagesOf(entry: NormalizedEntry, id: string): LangChainMessage[] {
  const { type, content } = entry;
  const base = { id, content, additional_kwargs: kwargs(entry), response_metadata: responseMetadata(entry.metadata) };
  switch (type.kind) {
    case 'user_message':
      return [{ type: 'human', ...base }];
    case 'assistant_message':
      return [{ type: 'ai', ...base, tool_calls: [] }];
    case 'thinking':
      return [
        { type: 'ai', ...base, content: [{ type: 'reasoning', reasoning: thinkingTextOf(entry) }], tool_calls: [] },
      ];
    case 'system_message':
      return [{ type: 'system', ...base, additional_kwargs: { ...base.additional_kwargs, subtype: type.subtype } }];
    case 'error':
      return [{ type: 'system', ...base, additional_kwargs: { ...base.additional_kwargs, error: type.error } }];
    case 'tool_use': {
      const { tool } = type;
      const call = { type: 'tool_call', id: tool.callId, name: tool.toolName, args: toolInput(tool) };
      const called: LangChainMessage = { type: 'ai', ...base, content: '', tool_calls: [call] };
      const output = toolOutputText(tool);
      if (output === undefined) return [called];
      const status = isFailed(tool) ? 'error' : 'success';
      return [
        called,
        {
          type: 'tool',
          id: `${id}-result`,
          content: output,
          additional_kwargs: {},
          response_metadata: {},
          tool_call_id: tool.callId,
          name: tool.toolName,
          status,
        },
      ];
    }
  }
}

/** `synthetic`, `trigger_type` and `trigger_reason` under LangChain's names. */
function kwargs(entry: NormalizedEntry): Record<string, unknown> {
  const { metadata, origin, timestamp, type } = entry;
  const { parentCallId, annotations } = metadata ?? {};
  return {
    ...writtenBy(entry),
    ...(origin !== undefined && { origin }),
    ...(parentCallId !== undefined && { parent_tool_call_id: parentCallId }),
    ...(annotations !== undefined && { annotations }),
    ...(type.kind === 'tool_use' && { action: type.tool.action, tool_status: type.tool.status }),
    timestamp,
  };
}

function responseMetadata(metadata: NormalizedEntryMetadata | undefined): Record<string, unknown> {
  const { sessionId, model } = metadata ?? {};
  return {
    ...(typeof model === 'string' && { model_name: model }),
    ...(typeof sessionId === 'string' && { executor_session_id: sessionId }),
  };
}
