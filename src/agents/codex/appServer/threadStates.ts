import * as z from 'zod';
import type { JsonObject } from '../../../model/text/json.ts';
import { isObject } from '../../../model/text/json.ts';
import { parse } from '../../shared/normalizer/lineLog.ts';
import type { WaitingState, WaitWatch, WaitWatchHost } from '../../stores/storeFormat.ts';
import { loadedThreadsAnswer, ownRequestId, serverMessage } from './wire.ts';

/** Threads whose state is read when the watch begins. */
const maxThreads = 100;

const statusSchema = z.looseObject({ type: z.string(), activeFlags: z.array(z.string()).optional() });
const readAnswer = z.looseObject({ thread: z.looseObject({ id: z.string(), status: statusSchema }) });
const statusNotice = z.looseObject({ threadId: z.string(), status: statusSchema });

/** Which threads of the app-server wait for their user. The server reports this to clients without an open thread, too. */
export function watchThreads(host: WaitWatchHost): WaitWatch {
  let nextId = 1;
  let unreadCount = 0;
  const request = (method: string, params: JsonObject): void =>
    host.write(JSON.stringify({ id: ownRequestId(method, nextId++), method, params }));
  const report = (threadId: string, status: z.infer<typeof statusSchema>): void =>
    host.onState(threadId, waitingState(status.activeFlags ?? []));
  const countRead = (): void => {
    unreadCount -= 1;
    if (unreadCount === 0) host.onAllReported?.();
  };
  return {
    begin: () => {
      const clientInfo = { name: 'vitrine', title: 'Vitrine', version: '1' };
      request('initialize', { clientInfo, capabilities: null });
    },
    line: (text) => {
      const value = parse(text);
      const message = isObject(value) ? serverMessage(value) : undefined;
      if (message?.kind === 'notification' && message.method === 'thread/status/changed') {
        const { data } = statusNotice.safeParse(message.params);
        if (data !== undefined) report(data.threadId, data.status);
      }
      if (message?.kind === 'error') {
        if (message.method === 'thread/read') countRead();
        else host.onAllReported?.();
      }
      if (message?.kind !== 'answer') return;
      switch (message.method) {
        case 'initialize':
          host.write(JSON.stringify({ method: 'initialized' }));
          request('thread/loaded/list', {});
          return;
        case 'thread/loaded/list': {
          const threads = (loadedThreadsAnswer.safeParse(message.result).data?.data ?? []).slice(0, maxThreads);
          unreadCount = threads.length;
          for (const threadId of threads) request('thread/read', { threadId });
          if (unreadCount === 0) host.onAllReported?.();
          return;
        }
        case 'thread/read': {
          const { data } = readAnswer.safeParse(message.result);
          if (data !== undefined) report(data.thread.id, data.thread.status);
          countRead();
        }
      }
    },
  };
}

function waitingState(flags: readonly string[]): WaitingState | undefined {
  if (flags.includes('waitingOnApproval')) return 'waiting_for_permission';
  return flags.includes('waitingOnUserInput') ? 'waiting_for_you' : undefined;
}
