import assert from 'node:assert/strict';
import { acp } from '../../../../src/agents/acp/adapter.ts';
import { totalTokens } from '../../../../src/model/usage/usage.ts';
import {
  capturesOf,
  linesOfCapture,
  readBy,
  type AgentCapture,
  type Read,
} from '../../../support/captures/agentCaptures.ts';

/** The captures read once more, by other means: what the entries say must be what the lines say. */

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
  readonly params?: { readonly update?: Update; readonly toolCall?: Update };
}

interface Update {
  readonly sessionUpdate?: string;
  readonly messageId?: string;
  readonly toolCallId?: string;
  readonly status?: string;
  readonly content?: { readonly text?: string };
  readonly cost?: { readonly amount: number };
  readonly usage?: { readonly totalTokens: number } | null;
  readonly stopReason?: string;
  readonly _meta?: { readonly claudeCode?: { readonly kind?: string } };
}

function messagesOf({ stdout }: AgentCapture): Message[] {
  return stdout.map((line) => JSON.parse(line) as Message);
}

function updatesOf(messages: readonly Message[]): Update[] {
  return messages.flatMap(({ method, params }) =>
    method === 'session/update' && params?.update !== undefined ? [params.update] : [],
  );
}

/** Position of the answer that opens the conversation. */
function openedAt(messages: readonly Message[]): number {
  return messages.findIndex(
    ({ result }) => result instanceof Object && ('modes' in result || 'configOptions' in result),
  );
}

function chunks(updates: readonly Update[], kind: string): Update[] {
  return updates.filter(({ sessionUpdate, _meta }) => sessionUpdate === kind && _meta?.claudeCode?.kind === undefined);
}

const textOf = (updates: readonly Update[]): string => updates.map(({ content }) => content?.text ?? '').join('');

function said({ entries }: Read, kind: string, replayed: boolean): string[] {
  return entries
    .filter(({ type, origin }) => type.kind === kind && (origin === 'replay') === replayed)
    .map(({ content }) => content);
}

describe('entries of Agent Client Protocol captures, counted again', () => {
  const captures = capturesOf('acp').map((capture) => {
    const messages = messagesOf(capture);
    const at = openedAt(messages);
    return {
      name: capture.name,
      messages,
      history: at === -1 ? [] : updatesOf(messages.slice(0, at)),
      live: updatesOf(messages.slice(at + 1)),
      read: readBy(acp, linesOfCapture(capture), capture.exit),
    };
  });

  it('have every text and thought once, in order, separate from the history', () => {
    for (const { name, history, live, read } of captures) {
      for (const [chunk, kind] of [
        ['agent_message_chunk', 'assistant_message'],
        ['agent_thought_chunk', 'thinking'],
      ] as const) {
        assert.equal(said(read, kind, false).join(''), textOf(chunks(live, chunk)), name);
        assert.equal(said(read, kind, true).join(''), textOf(chunks(history, chunk)), name);
      }
      assert.equal(said(read, 'user_message', true).join(''), textOf(chunks(history, 'user_message_chunk')), name);
      assert.equal(read.facts.answer, said(read, 'assistant_message', false).join('\n\n'), name);
    }
  });

  it('have one entry per message if messages have ids', () => {
    for (const { name, live, read } of captures) {
      const ids = new Set(chunks(live, 'agent_message_chunk').flatMap(({ messageId }) => messageId ?? []));
      const texts = said(read, 'assistant_message', false);
      for (const id of ids) {
        const whole = textOf(chunks(live, 'agent_message_chunk').filter(({ messageId }) => messageId === id));
        assert.ok(texts.includes(whole), `${name}: ${whole}`);
      }
    }
  });

  it('have every tool call once, with its last status', () => {
    for (const { name, messages, read } of captures) {
      const reported = new Map<string, string>();
      const asked = new Set<string>();
      const exits = new Set<string>();
      for (const { method, params } of messages) {
        const call = method === 'session/request_permission' ? params?.toolCall : params?.update;
        if (call?.toolCallId === undefined) continue;
        if (/"exit_?[cC]ode":[1-9]/.test(JSON.stringify(call))) exits.add(call.toolCallId);
        const before = reported.get(call.toolCallId);
        if (method === 'session/request_permission') asked.add(call.toolCallId);
        reported.set(call.toolCallId, (method === 'session/update' ? call.status : before) ?? before ?? 'pending');
      }
      const tools = read.entries.flatMap(({ type }) => (type.kind === 'tool_use' ? [type.tool] : []));
      const calls = tools.filter(({ toolName }) => toolName !== 'plan');
      assert.deepEqual(calls.map(({ callId }) => callId).sort(), [...reported.keys()].sort(), name);
      for (const { callId, status } of calls) {
        const allowed =
          reported.get(callId) === 'completed'
            ? [exits.has(callId) ? 'failed' : 'success']
            : reported.get(callId) === 'failed'
              ? ['failed', 'denied']
              : ['cancelled', ...(asked.has(callId) ? ['denied'] : [])];
        assert.ok(allowed.includes(status), `${name} ${callId} ${status}`);
      }
    }
  });

  it('have the tokens of each turn as printed, and the cost of the conversation', () => {
    for (const { name, messages, live, read } of captures) {
      const ends = messages.flatMap(({ result, params }) => [
        ...(result instanceof Object && 'stopReason' in result ? [result as Update] : []),
        ...(params?.update?.stopReason === undefined ? [] : [params.update]),
      ]);
      const printed = ends.map(({ usage }) => (usage?.totalTokens ?? 0) || null);
      const counted = read.facts.reports.filter(
        ({ errors, terminalReason }) => errors.length === 0 || terminalReason !== null,
      );
      const own = counted.map(({ usage }) => (usage === null ? null : totalTokens(usage)));
      if (name.startsWith('copilot')) {
        const sum = own.reduce((all: number, usd) => all + (usd ?? 0), 0);
        assert.equal(sum, printed.findLast((usd) => usd !== null) ?? 0, name);
      } else if (!name.startsWith('gemini')) {
        assert.deepEqual(own, printed, name);
      }
      const cost = live.flatMap(({ cost: total }) => total?.amount ?? []).at(-1) ?? null;
      assert.equal(read.facts.reports.at(-1)?.usd ?? null, cost, name);
    }
  });

  it('report a failed run if the agent answered with an error', () => {
    for (const { name, messages, read } of captures) {
      const errors = messages.flatMap(({ error }) => error ?? []);
      const shown = read.entries.filter(({ type }) => type.kind === 'error').map(({ content }) => content);
      for (const { message } of errors)
        assert.ok(
          shown.some((label) => label.startsWith(message)),
          `${name}: ${message}`,
        );
    }
  });
});
