import path from 'node:path';
import type { AgentSession } from '../../agents/acp/sessionList.ts';
import { capabilitiesOf, type AgentAdapter, type AgentOptions, type EnforcedLimits } from '../../agents/adapter.ts';
import type { DialogueFactory } from '../../agents/dialogue.ts';
import type { Capabilities } from '../../model/session/capabilities.ts';
import type { Origin } from '../../model/transcript/entry.ts';
import type { Normalizer, NormalizerContext } from '../../model/transcript/normalizer.ts';
import { startAgentProcess } from '../process/agentProcess.ts';
import type { AgentReport, AgentSettings, EngineSettings, FoundProgram } from '../api.ts';
import { agentEnvironment } from '../process/agentEnvironment.ts';
import { EngineFailure } from '../failures/failures.ts';
import type { ProcessLease, ProcessLeases } from '../process/leases.ts';
import type { LadderStep } from '../process/stopProcessTree.ts';
import type { ProgramFinder } from '../programs/programFinder.ts';
import { loadRecording, playTurn, type Recording } from '../replay/demoRecording.ts';
import type { LaunchedAgent } from '../run/runPlan.ts';
import type { Note } from '../run/note.ts';
import { writePrivate } from '../files/writeFiles.ts';
import { createPrivateFolder, SideFiles } from '../output/sideFiles.ts';
import { storedLine } from './storedLine.ts';
import { assertCanSpawn } from '../process/spawn.ts';
import { withTraceContext } from '../traceContext.ts';

/** Parameters of one run. */
export interface LaunchRequest {
  readonly runId: string;
  readonly cwd: string;
  /** Prompt for the agent. */
  readonly prompt: string;
  readonly options: AgentOptions;
  /** Remaining limits of the run, for agents that can enforce them too. */
  readonly limits: EnforcedLimits;
  readonly newSessionId: string;
  /** The agent's id of the conversation to fork, which stays unchanged. */
  readonly forkOf?: string;
  /** The agent's id of the last message or turn of it to keep. */
  readonly forkAt?: string;
  /** A user can answer requests and send messages during the run. */
  readonly interactive: boolean;
  /** Number of earlier runs in the session. */
  readonly earlierRuns: number;
  /** Folder of the record for run output. */
  readonly runsFolder: string;
  readonly lease: Omit<ProcessLease, 'process' | 'program'>;
}

/** An agent that is ready to launch, with everything it needs. */
export interface PreparedAgent {
  /** Who caused the prompt; default: a person. */
  readonly promptOrigin?: Origin;
  /** Notes before the output: options without effect, what a recording plays. */
  notes(request: LaunchRequest, resume: string | null): readonly Note[];
  /** False if there is nothing to launch for this run. */
  canLaunch(request: LaunchRequest): boolean;
  /** @throws EngineFailure */
  launch(request: LaunchRequest, resume: string | null): Promise<LaunchedAgent>;
}

/** One kind of agent as the engine sees it: a program with its adapter, or a recording. */
export interface AgentLauncher {
  readonly label: string;
  readonly recording: boolean;
  /** Whether a resume needs the agent's own session id. */
  readonly resumesById: boolean;
  /** Whether `AgentOptions.appendSystemPrompt` has an effect. Default: no. */
  readonly takesSystemPrompt?: boolean;
  /** Why conversations of this version have no id; absent or undefined if they have one. */
  resumeMissing?(version: string | null): string | undefined;
  createNormalizer(context: NormalizerContext): Normalizer;
  /** @throws EngineFailure */
  prepare(): Promise<PreparedAgent>;
  /** Sessions in the agent's own store; absent if the agent cannot list them. @throws EngineFailure */
  sessions?(launch: LaunchRequest, signal?: AbortSignal): Promise<readonly AgentSession[]>;
}

export interface ReportOptions {
  /** Also asks the program whether the user is logged in. */
  readonly login?: boolean;
}

/** An executor with a single agent, which can report on itself. */
export interface SingleLauncher extends AgentLauncher {
  report(options?: ReportOptions): Promise<AgentReport>;
}

export interface LauncherDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly adapters: readonly AgentAdapter[];
  readonly programs: ProgramFinder;
  readonly leases: ProcessLeases;
  readonly clock: () => number;
  readonly ladder: (polite: NodeJS.Signals) => readonly LadderStep[];
}

/** For agents whose dialogue needs more than the command line. */
export type StartDialogue = (launch: {
  readonly request: LaunchRequest;
  readonly resume: string | null;
  readonly program: FoundProgram;
  readonly env: Readonly<Record<string, string>>;
}) => Promise<DialogueFactory>;

export function programLauncher(
  adapter: AgentAdapter,
  settings: AgentSettings,
  deps: LauncherDeps,
  startDialogue?: StartDialogue,
): SingleLauncher {
  const own = deps.adapters.flatMap((agentAdapter) => agentAdapter.ownVariables);
  const { variables: env, removed, added } = agentEnvironment(deps.environment, own, settings.environment);
  const find = () => deps.programs.find(adapter, { explicitPath: settings.program, env });
  const { label } = adapter;
  return {
    label,
    recording: false,
    resumesById: true,
    takesSystemPrompt: adapter.takesSystemPrompt ?? false,
    resumeMissing: (version) => {
      const { supported, reason } = capabilitiesOf(adapter, version).resume;
      return supported ? undefined : reason;
    },
    createNormalizer: (context) => adapter.createNormalizer(context),
    report: async ({ login = false } = {}) => {
      const program = await find();
      const version = EngineFailure.is(program) ? null : program.version;
      const capabilities = capabilitiesOf(adapter, version);
      const signedIn =
        login && !EngineFailure.is(program) ? await deps.programs.isSignedIn(adapter, program.path, env) : undefined;
      return {
        type: adapter.type,
        label,
        recording: false,
        capabilities,
        program,
        ...(signedIn !== undefined && { signedIn }),
        environment: { removed, added },
      };
    },
    prepare: async () => {
      assertCanSpawn();
      const program = await find();
      if (EngineFailure.is(program)) throw program;
      const folderOf = ({ runsFolder, runId }: LaunchRequest) => path.join(runsFolder, `${runId}.files`);
      const commandOf = (request: LaunchRequest, resume: string | null) => {
        const { prompt, options, limits, newSessionId, interactive, forkOf, forkAt, cwd } = request;
        const forked =
          forkOf === undefined ? {} : { resume: forkOf, fork: true, ...(forkAt !== undefined && { forkAt }) };
        const resumed = resume === null ? forked : { resume };
        const folders = { runFolder: folderOf(request), privateFolder: deps.leases.privateFolder(request.runId) };
        return adapter.command({
          prompt,
          options,
          limits,
          program,
          newSessionId,
          ...folders,
          cwd,
          interactive,
          ...resumed,
        });
      };
      return {
        canLaunch: () => true,
        notes: (request, resume) =>
          commandOf(request, resume).warnings.map((content) => ({ subtype: 'option_ignored', content })),
        launch: async (request, resume) => {
          const command = commandOf(request, resume);
          const { runId, cwd, lease, runsFolder } = request;
          const { sideFiles } = command;
          const dialogue = command.dialogue ?? (await startDialogue?.({ request, resume, program, env }));
          if (sideFiles !== undefined) await createPrivateFolder(folderOf(request));
          await writePrivate(deps.leases.privateFolder(runId), command.privateFiles);
          const process = await startAgentProcess({
            label,
            runId,
            path: program.path,
            args: command.args,
            stdin: dialogue === undefined ? (command.stdin ?? '') : null,
            cwd,
            env: withTraceContext({ ...env, ...command.variables }, lease.session_id, runId),
            clock: deps.clock,
            ladder: deps.ladder(adapter.politeSignal),
            lease: { leases: deps.leases, content: { ...lease, program: program.path } },
          });
          const { sessionId } = command;
          const launched = {
            process,
            sessionId,
            program: program.path,
            version: program.version,
            ...(dialogue !== undefined && { dialogue }),
            stored: (conversationId: string | undefined) => storedLine(adapter, conversationId, env),
          };
          if (sideFiles === undefined) return launched;
          const usageFile = path.join(runsFolder, `${runId}.usage`);
          const side = new SideFiles(sideFiles, { label, pid: process.pid, folder: folderOf(request), usageFile });
          return { ...launched, sideFiles: side };
        },
      };
    },
  };
}

const notRecorded = { supported: false, reason: 'a recording plays what was recorded' } as const;
const recorded = { supported: true, reason: 'as recorded' } as const;

const demoCapabilities: Capabilities = {
  resume: { supported: true, reason: 'plays the next recorded turn' },
  fork: notRecorded,
  approvals: notRecorded,
  thinking: recorded,
  toolResults: recorded,
  usage: recorded,
  cost: recorded,
  subagents: recorded,
  midRunMessages: notRecorded,
  modelChoice: notRecorded,
  mcp: notRecorded,
};

const demoLabel = 'Demo (recording)';

export function demoLauncher(
  demoDir: string,
  settings: EngineSettings,
  deps: Pick<LauncherDeps, 'adapters' | 'clock'>,
): SingleLauncher {
  let recording: Promise<Recording> | undefined;
  const load = () => (recording ??= loadRecording(demoDir));
  let replayedAdapter: AgentAdapter | undefined;
  return {
    label: demoLabel,
    recording: true,
    resumesById: false,
    createNormalizer: (context) => {
      replayedAdapter ??= deps.adapters[0];
      if (replayedAdapter === undefined) throw new Error('No adapter can read the recording.');
      return replayedAdapter.createNormalizer(context);
    },
    report: async () => {
      const environment = { removed: [], added: [] };
      const common = { type: 'replay', label: demoLabel, recording: true, capabilities: demoCapabilities } as const;
      try {
        const { title, turns } = await load();
        const recorded = { title, prompts: turns.map(({ prompt }) => prompt) };
        return { ...common, recorded, program: null, environment };
      } catch (error) {
        return { ...common, program: EngineFailure.is(error) ? error : null, environment };
      }
    },
    prepare: async () => {
      const { turns, agent, agentVersion, recordedAt } = await load();
      replayedAdapter = deps.adapters.find(({ type }) => type === agent);
      return {
        canLaunch: ({ earlierRuns }) => earlierRuns < turns.length,
        notes: ({ earlierRuns, prompt }) => {
          const turn = turns[earlierRuns];
          const note = (content: string): Note[] => [{ subtype: 'recording', content }];
          if (turn === undefined) {
            return note(`The recording has ended after ${turns.length} turns. No agent ran.`);
          }
          const day = recordedAt.slice(0, 10);
          const agentText = `${replayedAdapter?.label ?? agent}${agentVersion === null ? '' : ` ${agentVersion}`}`;
          const what = `Recording of ${agentText} from ${day}. It runs no commands and changes no files.`;
          if (turn.prompt.trim() === prompt.trim()) return earlierRuns === 0 ? note(what) : [];
          return note(`${what}\n\nThe following was the answer to: ${turn.prompt}`);
        },
        launch: ({ earlierRuns }) => {
          const turn = turns[earlierRuns] ?? { prompt: '', lines: [], end: { at: 0, exit: 0 } };
          return Promise.resolve({
            process: playTurn(turn, settings.replaySpeed ?? 1, deps.clock),
            sessionId: null,
            program: 'recording',
            version: agentVersion,
          });
        },
      };
    },
  };
}
