import { isObject } from '../../../model/text/json.ts';
import type { ListedRun } from '../../../model/session/waiting.ts';
import type { QueueNode } from '../../queue/queueRows.ts';
import { canStartAgents } from '../../settings/trust.ts';
import type { Commands, CommandContext } from '../commandContext.ts';

/** Commands of the view Queue and Runners. They take its rows, or else what is selected there. */
export function queueCommands(shell: Pick<CommandContext, 'engines' | 'queueHost'>): Commands {
  const move = async (to: 'first' | 'last', args: readonly unknown[]): Promise<void> => {
    const runs = await queuedRuns(shell, args);
    const { moveRuns } = await import('../../queue/queueActions.ts');
    await moveRuns((await shell.engines.get()).queue, runs, to);
  };
  return {
    moveRunFirst: (...args) => move('first', args),
    moveRunLast: (...args) => move('last', args),
    async runHere(...args) {
      if (!canStartAgents()) return;
      const [run] = await queuedRuns(shell, args);
      if (run === undefined) return;
      const [{ runHere }, view, { queue }] = await Promise.all([
        import('../../queue/queueActions.ts'),
        shell.queueHost.view(),
        shell.engines.get(),
      ]);
      await runHere(queue, view.contents, run);
    },
  };
}

/** Whether a command is meant for rows of the queue. */
export function isQueueArgument(argument: unknown): boolean {
  return argument === 'selection' || isRunNode(argument);
}

/** Stops the given runs, or those that are selected. */
export async function stopQueued(
  shell: Pick<CommandContext, 'engines' | 'queueHost'>,
  args: readonly unknown[],
): Promise<void> {
  const { queue } = await shell.engines.get();
  for (const { run_id } of await queuedRuns(shell, args)) await queue.stopRun(run_id);
}

/** VS Code gives the row, and all selected rows if it is one of them. */
async function queuedRuns(
  { queueHost }: Pick<CommandContext, 'queueHost'>,
  [node, selected]: readonly unknown[],
): Promise<readonly ListedRun[]> {
  const nodes: readonly unknown[] = Array.isArray(selected)
    ? selected
    : isRunNode(node)
      ? [node]
      : (await queueHost.view()).selection;
  return nodes.filter(isRunNode).map(({ run }) => run);
}

function isRunNode(value: unknown): value is Extract<QueueNode, { kind: 'run' }> {
  return isObject(value) && value['kind'] === 'run' && isObject(value['run']) && 'run_id' in value['run'];
}
