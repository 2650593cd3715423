import { visibleLine } from '../../model/text/visibleText.ts';
import { EngineFailure } from '../../engine/failures/failures.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AgentSessionsRequest } from '../../engine/api.ts';
import type { CliContext } from '../command.ts';
import { writeLines } from '../print/output.ts';

const notListed = 2;

/** Prints the sessions in an agent's own store. Disposes the engine. */
export async function printAgentSessions(
  engine: Engine,
  context: CliContext,
  request: Omit<AgentSessionsRequest, 'signal'>,
  json: boolean,
): Promise<number> {
  const stopped = new AbortController();
  const stopListening = context.onInterrupt(() => stopped.abort());
  try {
    const found = await engine.agentSessions({ ...request, signal: stopped.signal });
    if (json) await writeLines(context.stdout, found);
    else {
      for (const { id, updatedAt, title } of found) {
        const time = (updatedAt ?? '').slice(0, 16).replace('T', ' ').padEnd(16);
        context.stdout.write(
          `${[id, time, title ?? '']
            .map((cell) => visibleLine(cell))
            .join('  ')
            .trimEnd()}\n`,
        );
      }
    }
    return 0;
  } catch (error) {
    if (!EngineFailure.is(error)) throw error;
    context.stderr.write(`vitrine: ${error.message}\n${error.detail}\n`);
    return notListed;
  } finally {
    stopListening();
    await engine.dispose();
  }
}

/** Removes characters that move the cursor or hide text, since the agent chose it. */
