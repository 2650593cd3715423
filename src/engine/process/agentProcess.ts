import type { ExitInfo } from '../../model/usage/facts.ts';
import type { AgentInput } from './agentInput.ts';
import { argumentProblem } from '../programs/argumentSize.ts';
import { runVariable } from './agentEnvironment.ts';
import { failures } from '../failures/failures.ts';
import { outputChunks, type OutputChunk } from '../output/outputChunks.ts';
import { identify } from './identity/identity.ts';
import type { ProcessLease, ProcessLeases } from './leases.ts';
import { setMark } from './limitMark.ts';
import { endLeftovers, stopProcessTree, type LadderStep, type TreeTarget } from './stopProcessTree.ts';
import { spawnAgent, type SpawnRequest } from './spawn.ts';

/** Plays one run: a process or a recording. */
export interface AgentProcess {
  readonly pid: number | undefined;
  /** The whole output; read it once. */
  readonly output: AsyncIterable<OutputChunk>;
  /** `null` or absent if there is no input during the run. */
  readonly input?: AgentInput | null;
  /** Settles on exit. */
  readonly exit: Promise<ExitInfo>;
  /** Sends stronger signals step by step. Resolves to the pids that are still alive, normally none. */
  stop(steps?: readonly LadderStep[]): Promise<readonly number[]>;
  /** Number of processes that were left in the agent's group and had to be ended. Resolves after exit. */
  leftovers(): Promise<number>;
}

export interface AgentProcessRequest extends SpawnRequest {
  readonly label: string;
  readonly runId: string;
  readonly ladder: readonly LadderStep[];
  readonly clock: () => number;
  /** Written before the process starts, so that a crash never leaves an unknown process. */
  readonly lease?: { readonly leases: ProcessLeases; readonly content: Omit<ProcessLease, 'process'> };
}

/** Time in ms for leftover processes to exit and for their pipes to drain. */
const leftoverMs = 300;
const drainMs = 1000;

/** @throws EngineFailure if the agent could not be started */
export async function startAgentProcess(request: AgentProcessRequest): Promise<AgentProcess> {
  const { lease, runId, label, ladder } = request;
  const problem = argumentProblem(request);
  if (problem !== null) throw failures.spawnFailed(label, request.path, problem);
  await lease?.leases.write({ ...lease.content, process: null });
  const forget = async (): Promise<void> => lease?.leases.remove(runId);
  const spawned = await spawnAgent({ ...request, env: { ...request.env, [runVariable]: runId } }).catch(
    async (error: unknown) => {
      await forget();
      throw error;
    },
  );
  const { pid } = spawned;
  if (pid === undefined) {
    await forget();
    const { problem } = await spawned.exit;
    throw failures.spawnFailed(label, request.path, problem?.message ?? 'it did not start.');
  }
  const marker = `${runVariable}=${runId}`;
  let exited = false;
  void spawned.exit.then(() => (exited = true));
  const [root] = await Promise.all([identify(pid), setMark(pid, marker)]);
  await lease?.leases.write({ ...lease.content, process: root });

  const target: TreeTarget = { root, marker, hasExited: () => exited };
  const leftovers = spawned.exit.then(async () => (await endLeftovers(target, leftoverMs)).length);
  const exit = spawned.exit.then(({ code, signal }) => ({ code, signal }));
  let stopping: Promise<readonly number[]> | undefined;
  return {
    pid,
    input: spawned.input,
    output: outputChunks(spawned, leftovers, { clock: request.clock, drainMs }),
    exit,
    leftovers: async () => {
      const count = await leftovers;
      await forget();
      return count;
    },
    stop: (steps = ladder) => {
      const stopStepwise = async (): Promise<readonly number[]> => {
        const survivors = (await stopProcessTree(target, steps)).map((info) => info.pid);
        if (survivors.length === 0) await forget();
        return survivors;
      };
      // A shorter ladder may replace the current one.
      if (stopping === undefined || steps !== ladder) stopping = stopStepwise();
      return stopping;
    },
  };
}
