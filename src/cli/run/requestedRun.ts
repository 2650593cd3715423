import type { ResumeRequest, StartRequest } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { ClientContext } from '../../protocol/daemon/context.ts';
import type { CliContext } from '../command.ts';
import { settingsOf, type EngineOptions } from './engine.ts';

/** A run requested on the command line. */
export type RequestedRun =
  { readonly start: StartRequest } | { readonly session: string; readonly resume: ResumeRequest } | ForkedRun;

/** The first run of a fork of `session` at the prompt with index `at`, or at its end. */
export interface ForkedRun {
  readonly session: string;
  readonly at: number | undefined;
  readonly fork: ResumeRequest;
}

/** The run's folder. @throws EngineFailure if its session does not exist */
export async function folderOf(engine: Engine, run: RequestedRun): Promise<string> {
  if ('start' in run) return run.start.cwd;
  const handle = await engine.open(run.session);
  const { project_dir = '' } = handle.summary();
  handle.dispose();
  return project_dir;
}

/** Starting an agent in a folder from a terminal implies trust in the folder. */
export function clientContext({ env }: CliContext, folder: string, options: EngineOptions): ClientContext {
  const { agents = {}, acp = [], acpHttp = [], replaySpeed = 1, prices } = settingsOf(options);
  const { server } = options;
  const tokens = server?.token === undefined ? {} : { [server.server.id]: server.token };
  const environment = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return {
    folder,
    trusted: true,
    environment: Object.fromEntries(environment),
    settings: { agents, acp, acpHttp, acpHttpTokens: tokens, replaySpeed, prices },
  };
}

type ForkWayTexts = Readonly<Record<ResultOf<'planFork'>['way'], string>>;

const forkTexts: ForkWayTexts = {
  conversation: 'The agent continues its conversation as it was before this prompt, and does not see what followed.',
  transcript:
    'The agent cannot continue its conversation from here. A new conversation starts, and the agent gets the transcript before this prompt as text.',
  nothing: 'This is the first prompt. A new conversation starts.',
};
const forkHistoryText: ForkWayTexts = {
  conversation: 'The agent continues a copy of its own conversation.',
  transcript:
    'The agent cannot fork its own conversation. A new conversation starts, and the agent gets the transcript of the other session as text.',
  nothing: 'The other session has no messages. A new conversation starts.',
};

/** Prints what the agent will know in a fork at the prompt `at`, or at the end. */
export function printForkMethod({ stderr }: CliContext, { way }: ResultOf<'planFork'>, at: number | undefined): void {
  stderr.write(`vitrine: ${(at === undefined ? forkHistoryText : forkTexts)[way]}\n`);
}
