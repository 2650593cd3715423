import type { SessionHandle } from '../engine/windowEngine.ts';
import { readEditPreviews } from '../../engine/requests/readEditPreviews.ts';
import type { ViewAnswer, ViewRequest } from '../../protocol/panel/viewMessages.ts';

/** Previews a pending request's edits of current files. */
export async function answerEditPreviews(
  handle: SessionHandle,
  { request, id }: Extract<ViewRequest, { type: 'getEditPreviews' }>,
): Promise<ViewAnswer> {
  const waiting = handle.conversation()?.pendingRequests() ?? [];
  const pending = waiting.find((waitingRequest) => waitingRequest.id === id);
  const previews = pending === undefined ? [] : await readEditPreviews(pending, handle.summary().project_dir);
  return { type: 'editPreviews', request, previews };
}
