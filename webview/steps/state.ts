import type { ToolUse } from '../../src/model/transcript/tool.ts';
import type { WaitingRequest } from '../../src/protocol/panel/messages.ts';
import { t } from '../l10n.ts';

/** `behind`: it waits until a person has decided about an earlier call. */
export type StepState =
  'queued' | 'running' | 'approval' | 'behind' | 'done' | 'failed' | 'denied' | 'cancelled' | 'unanswered';

/** `waits`: what a person has to answer before the call continues. */
export interface RunState {
  readonly runLive: boolean;
  readonly waits: WaitingRequest | undefined;
  /** An earlier call of the same agent waits for a person: agents ask in order, and begin none of the later ones before. */
  readonly behind: boolean;
}

/** What a call that has no end does while its run continues. */
export function openState(status: 'created' | 'running', { waits, behind }: Omit<RunState, 'runLive'>): StepState {
  if (waits !== undefined) return 'approval';
  if (behind) return 'behind';
  return status === 'created' ? 'queued' : 'running';
}

/** How a call came out. A call of a run that has ended and never answered is no longer running. */
export function stepState(tool: ToolUse, { runLive, ...run }: RunState): StepState {
  switch (tool.status) {
    case 'created':
    case 'running':
      return runLive ? openState(tool.status, run) : 'unanswered';
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

/** The exit code of a command that ended with another than 0. */
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

/** The word in the row; done and running need none there. */
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
      return t('waiting behind another approval');
    case 'queued':
      return t('queued');
  }
}

/** The word for a screen reader, which hears of every state. */
export function spokenState(state: StepState, tool: ToolUse): string {
  if (state === 'done') return t('done');
  if (state === 'running') return t('running');
  return stateWord(state, tool);
}
