import type { ToolUse } from '../../src/model/transcript/tool.ts';
import type { WaitingRequest } from '../../src/protocol/panel/messages.ts';
import { t } from '../l10n.ts';

/** `behind`: it waits for a decision about an earlier call. */
export type StepState =
  'queued' | 'running' | 'approval' | 'behind' | 'done' | 'failed' | 'denied' | 'cancelled' | 'unanswered';

/** `waits`: a person must decide before the call continues. */
export interface RunState {
  readonly isRunLive: boolean;
  readonly waits: WaitingRequest | undefined;
  /** An earlier call of the same agent waits for a person. Agents ask in order, and start none of the later calls before. */
  readonly isBehindWaiting: boolean;
}

/** State of a call without an end while its run is active. */
export function openState(
  status: 'created' | 'running',
  { waits, isBehindWaiting }: Omit<RunState, 'isRunLive'>,
): StepState {
  if (waits !== undefined) return 'approval';
  if (isBehindWaiting) return 'behind';
  return status === 'created' ? 'queued' : 'running';
}

/** Result of a call. A call without an answer in an ended run is not running. */
export function stepState(tool: ToolUse, { isRunLive, ...run }: RunState): StepState {
  switch (tool.status) {
    case 'created':
    case 'running':
      return isRunLive ? openState(tool.status, run) : 'unanswered';
    case 'success':
      return exitCode(tool) === undefined ? 'done' : 'failed';
    case 'failed':
      return 'failed';
    case 'denied':
      return 'denied';
    case 'cancelled':
      return 'cancelled';
  }
}

/** The exit code of a command, if not 0. */
function exitCode({ action }: ToolUse): number | undefined {
  if (action.kind !== 'command_run') return undefined;
  return typeof action.exitCode === 'number' && action.exitCode !== 0 ? action.exitCode : undefined;
}

export const stateIcons: Readonly<Record<StepState, string>> = {
  queued: 'circle-outline',
  running: 'loading',
  behind: 'watch',
  approval: 'shield',
  done: 'check',
  failed: 'error',
  denied: 'circle-slash',
  cancelled: 'circle-slash',
  unanswered: 'debug-disconnect',
};

/** The visible word; none for completed and running calls. */
export function stateWord(state: StepState, tool: ToolUse): string {
  const code = exitCode(tool);
  switch (state) {
    case 'done':
    case 'running':
      return '';
    case 'failed':
      return code === undefined ? t('failed') : t('exit {0}', code);
    case 'denied':
      return t('denied');
    case 'cancelled':
      return t('cancelled');
    case 'unanswered':
      return t('not answered');
    case 'approval':
      return t('needs your approval');
    case 'behind':
      return t('waiting for an earlier approval');
    case 'queued':
      return t('queued');
  }
}

/** The word for screen readers, for every state. */
export function stateForScreenReader(state: StepState, tool: ToolUse): string {
  if (state === 'done') return t('done');
  if (state === 'running') return t('running');
  return stateWord(state, tool);
}
