import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { AgentOptions } from '../../agents/adapter.ts';
import { isBypass } from '../../agents/choices.ts';
import type { Job } from '../../coordinator/api.ts';
import type { AgentReport } from '../../engine/api.ts';
import { stopSessionTree } from '../../engine/children/stopSessionTree.ts';
import { executeJob } from '../../engine/coordinator/execute.ts';
import { joinCoordinator } from '../../engine/coordinator/join.ts';
import type { Outcome } from '../../engine/coordinator/runner.ts';
import { RunnerGroup } from '../../engine/coordinator/runnerGroup.ts';
import type { WindowEngine } from '../engine/windowEngine.ts';
import { executorTypeSchema, type ExecutorType, type Run } from '../../model/session/session.ts';
import { logLine } from '../../engine/log/logLine.ts';
import { agentOptions, runnerSettings } from '../settings/settings.ts';
import type { BlueprintRuns } from '../agents/blueprintRuns.ts';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { OtherProcesses } from '../sessions/otherProcesses.ts';
import type { EngineHost } from '../engine/engineHost.ts';

/** A runner for each agent that is found, unless the settings say no; working in `folder` and the others of this window. */
export async function startRunners(
  deps: WindowRunnersDeps,
  folder: string,
  onRun: (run: Run) => void,
): Promise<RunnerGroup> {
  const { store, engines, elsewhere: others, log } = deps;
  const engine = await engines.get();
  const coordinator = { clock: Date.now, monotonic: () => performance.now(), randomHex, log };
  const group = new RunnerGroup({
    log,
    join: () => joinCoordinator(store.fsPath, coordinator, { host: true }),
    onRun: (run, { mine, hosting }) => {
      onRun(run);
      if (mine) return;
      // Whose runner was killed left an agent behind, and a session that no one brought to its end.
      if (hosting && run.status === 'failed') void engine.sweep().finally(() => others.lookSoon());
      else others.lookSoon();
    },
  });
  const { enabled, concurrency: limit, tags } = runnerSettings();
  if (!enabled) return group;
  const place = { hostname: hostname(), project_dir: folder, within: folders(), tags: [...tags], limit };
  const types = new Set((await engine.agents()).filter(isThere).map(({ type }) => type));
  for (const executor_type of types) {
    void group.add({
      registration: { ...place, executor_type },
      execute: (job, started) => execute(job, { ...deps, engine, folder }, started),
      stop: ({ run }) => stopSessionTree(engine, run.session_id),
      onJoined: ({ runner_id }, hosting) => log.info(logLine('runner', { runner_id, executor_type, hosting })),
    });
  }
  return group;
}

async function execute(
  job: Job,
  { engine, blueprints, folder, log }: WindowRunnersDeps & { readonly engine: WindowEngine; readonly folder: string },
  started: () => void,
): Promise<Outcome> {
  const { run, executor_type, permission_mode: mode } = job;
  log.info(logLine('queued run', { run: run.run_id, session: run.session_id }));
  const executor = executorTypeSchema.safeParse(executor_type).data;
  const types = executor === undefined ? executorTypeSchema.options : [executor];
  if (types.some((type) => isBypass(type, mode))) {
    return { status: 'failed', error: `A window starts nothing in the mode ${mode ?? ''} unless a person does.` };
  }
  const place = vscode.Uri.file(path.resolve(await folderOf(job, engine, folder)));
  if (vscode.workspace.getWorkspaceFolder(place) === undefined) {
    return { status: 'failed', error: `${place.fsPath} is no folder of the window that took this run.` };
  }
  const { load, use } = blueprints.access;
  const options = (type: ExecutorType) => askingOptions(type, place);
  return executeJob(job, { engine, projectDir: folder, blueprints: load, use: { ...use, options } }, started);
}

/** As the settings say; in a mode that lets everything happen only a person starts an agent, so that this one asks. */
function askingOptions(type: ExecutorType, place: vscode.Uri): AgentOptions {
  const { permissionMode, ...rest } = agentOptions(type, place);
  return permissionMode === undefined || isBypass(type, permissionMode) ? rest : { ...rest, permissionMode };
}

/** Where the run would work: a session continues where it began. */
async function folderOf({ run }: Job, engine: WindowEngine, folder: string): Promise<string> {
  const here = run.project_dir ?? folder;
  if (run.type === 'start_session') return here;
  const session = (await engine.list()).find(({ session_id }) => session_id === run.session_id);
  return session?.project_dir ?? here;
}

/** `null` is an agent that is no program here, such as a server. */
function isThere({ program, recording }: AgentReport): boolean {
  return recording || program === null || 'path' in program;
}

function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
}

function randomHex(digits: number): string {
  return randomBytes(digits).toString('hex').slice(0, digits);
}

export interface WindowRunnersDeps {
  readonly store: vscode.Uri;
  readonly engines: EngineHost;
  readonly blueprints: BlueprintRuns;
  readonly agents: AgentCatalogue;
  readonly elsewhere: OtherProcesses;
  readonly log: vscode.LogOutputChannel;
}
