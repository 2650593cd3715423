import * as vscode from 'vscode';
import { canFork } from '../../agents/shared/forking.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { inertText } from '../text/inertText.ts';

const { t } = vscode.l10n;

type Forkable = Pick<
  SessionSummary,
  'executor_type' | 'executor_session_id' | 'agent_version' | 'observed' | 'recording' | 'remote'
>;

/**
 * Whether the agent can fork the session's conversation. Agent Client Protocol agents say so only when they start; the
 * others get the transcript.
 */
export function isForkable(summary: Forkable): boolean {
  const {
    executor_type: type,
    executor_session_id: native,
    agent_version: version,
    observed,
    recording,
    remote,
  } = summary;
  if (native === undefined || recording || remote !== undefined || (observed?.problem ?? null) !== null) return false;
  return type === 'acp' ? observed === undefined : canFork(type, version);
}

/** Asks what to do with a session that runs in another program. `undefined`: the user cancelled. */
export async function watchOrFork(label: string): Promise<'watch' | 'fork' | undefined> {
  const [watch, fork] = [t('Watch'), t('Fork')];
  const chosen = await vscode.window.showWarningMessage(
    t('This {0} session is running in another program.', inertText(label)),
    {
      modal: true,
      detail: t(
        'A fork starts a second process in the same folder, with the conversation so far. The original keeps running, and both can change the same files.',
      ),
    },
    fork,
    watch,
  );
  if (chosen === undefined) return undefined;
  return chosen === fork ? 'fork' : 'watch';
}
