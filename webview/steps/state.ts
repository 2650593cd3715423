import type { ToolUse } from '../../src/model/tool.ts';
import type { WaitingRequest } from '../../src/protocol/messages.ts';
import { t } from '../l10n.ts';

export type StepState = 'running' | 'approval' | 'done' | 'failed' | 'denied' | 'cancelled' | 'unanswered';

/** `waits`: what a person has to answer before the call goes on. */
export interface RunState {
  readonly runLive: boolean;
  readonly waits: WaitingRequest | undefined;
}

/** How a call came out. A call of a run that is over and never answered is not running any more. */
export function stepState(tool: ToolUse, { runLive, waits }: RunState): StepState {
  switch (tool.status) {
    case 'created':
    case 'running':
      if (!runLive) return 'unanswered';
      return waits === undefined ? 'running' : 'approval';
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
  running: 'loading',
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
  }
}

/** The word for a screen reader, which hears of every state. */
export function spokenState(state: StepState, tool: ToolUse): string {
  if (state === 'done') return t('done');
  if (state === 'running') return t('running');
  return stateWord(state, tool);
}
