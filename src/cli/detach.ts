import type { ResumeRequest, StartRequest } from '../engine/api.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineFailure } from '../engine/failures.ts';
import type { ClientContext } from '../protocol/daemon/context.ts';
import { UsageError, type CliContext } from './command.ts';
import { startedDaemon, translated } from './daemon.ts';
import { settingsOf, type EngineOptions } from './engine.ts';
import { writeLines } from './output.ts';

export type DetachedRun =
  { readonly start: StartRequest } | { readonly session: string; readonly resume: ResumeRequest };

interface DetachOptions extends EngineOptions {
  readonly json: boolean;
}

/** Starts a run in the daemon and prints its session. Disposes the engine. @throws UsageError */
export async function runDetached(
  context: CliContext,
  engine: Engine,
  options: DetachOptions,
  ask: () => Promise<DetachedRun>,
): Promise<number> {
  let run: DetachedRun;
  let folder: string;
  try {
    run = await ask();
    folder = 'start' in run ? run.start.cwd : await folderOf(engine, run.session);
  } catch (error) {
    if (EngineFailure.is(error)) throw new UsageError(error.message, error.detail);
    throw error;
  } finally {
    await engine.dispose();
  }
  const connection = await startedDaemon(context, { store: options.store });
  try {
    const client = contextOf(context, folder, options);
    const begun = await translated(() =>
      'start' in run
        ? connection.call('start', { context: client, request: run.start })
        : connection.call('resume', { context: client, session_id: run.session, request: run.resume }),
    );
    const { session_id } = begun;
    if (options.json) await writeLines(context.stdout, [begun]);
    else
      context.stdout.write(
        `${session_id} runs in the background.\nWatch it: vitrine attach ${session_id}\nStop it:  vitrine stop ${session_id}\n`,
      );
    return 0;
  } finally {
    connection.close();
  }
}

async function folderOf(engine: Engine, session: string): Promise<string> {
  const handle = await engine.open(session);
  const { project_dir = '' } = handle.summary();
  handle.dispose();
  return project_dir;
}

/** Whoever starts an agent in a folder from a terminal trusts the folder. */
function contextOf({ env }: CliContext, folder: string, options: EngineOptions): ClientContext {
  const { agents = {}, acp = [], acpHttp = [], replaySpeed = 1, prices } = settingsOf(options);
  const { server } = options;
  const tokens = server?.token === undefined ? {} : { [server.server.id]: server.token };
  const environment = Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined);
  return {
    folder,
    trusted: true,
    environment: Object.fromEntries(environment),
    settings: { agents, acp, acpHttp, acpHttpTokens: tokens, replaySpeed, prices },
  };
}
