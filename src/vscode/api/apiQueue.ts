import path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { QueueRunParams } from '../../client/queue/remoteQueue.ts';
import { demandsSchema } from '../../model/session/demands.ts';
import { executorTypes } from '../../model/session/executorTypes.ts';
import { runIdSchema, sessionIdSchema } from '../../model/session/session.ts';
import type { BlueprintRuns } from '../agents/blueprintRuns.ts';
import type { EngineHost } from '../engine/engineHost.ts';
import { isAgentName } from '../run/runChoice.ts';
import { ApiError } from './apiError.ts';
import type { QueuedRun, Runner } from './types/vitrine.d.ts';

const name = z.custom<string>(isAgentName, 'Use a short, single-line text.');

/** Options from another extension, which need not match the declared types. */
const optionsSchema = z.strictObject({
  agent: z.enum(executorTypes).optional(),
  agentFile: name.optional(),
  cwd: z
    .string()
    .refine((found) => path.isAbsolute(found), 'Use an absolute path.')
    .optional(),
  resume: sessionIdSchema.optional(),
  model: name.optional(),
  title: name.optional(),
  demands: demandsSchema.optional(),
});
type Options = z.infer<typeof optionsSchema>;

export interface ApiQueueDeps {
  readonly engines: EngineHost;
  readonly blueprints: BlueprintRuns;
}

/**
 * The queue for other extensions. They can queue runs only in folders where they could start them, and cannot choose a
 * permission mode.
 */
export class ApiQueue {
  readonly #deps: ApiQueueDeps;

  constructor(deps: ApiQueueDeps) {
    this.#deps = deps;
  }

  async runs(): Promise<readonly QueuedRun[]> {
    return (await this.#deps.engines.get()).queue.runs();
  }

  async runners(): Promise<readonly Runner[]> {
    return (await this.#deps.engines.get()).queue.runners();
  }

  async add(prompt: unknown, rawOptions: unknown): Promise<QueuedRun> {
    if (typeof prompt !== 'string' || prompt.trim() === '')
      throw new ApiError('request_invalid', 'The prompt is empty.');
    const parsed = optionsSchema.safeParse(rawOptions ?? {});
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new ApiError('request_invalid', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
    }
    const { data: options } = parsed;
    const request = await this.#request(options);
    return (await this.#deps.engines.get()).queue.createRun({ ...request, prompt });
  }

  async stop(runId: unknown): Promise<void> {
    const id = runIdSchema.safeParse(runId);
    if (!id.success) throw new ApiError('request_invalid', 'Not a run ID.');
    await (await this.#deps.engines.get()).queue.stopRun(id.data);
  }

  async #request({
    agent,
    agentFile,
    cwd,
    resume,
    model,
    title,
    demands,
  }: Options): Promise<Omit<QueueRunParams, 'prompt'>> {
    const project_dir = folderOf(cwd);
    const common = {
      ...(model !== undefined && { model }),
      ...(title !== undefined && { title }),
      ...(demands !== undefined && { additional_demands: demands }),
    };
    if (resume !== undefined) {
      if (agentFile !== undefined || cwd !== undefined)
        throw new ApiError('request_invalid', 'A resumed session keeps its agent and folder.');
      const executor = agent === undefined ? {} : { executor_type: agent };
      return { ...common, ...executor, type: 'resume_session', session_id: resume };
    }
    if (agentFile === undefined) return { ...common, executor_type: agent ?? 'claude-code', project_dir };
    const { executorOf, findBlueprint } = await import('../../engine/blueprints/request.ts');
    const found = findBlueprint(await this.#deps.blueprints.access.load(project_dir), agentFile);
    return {
      ...common,
      agent_name: found.name,
      executor_type: executorOf(found),
      ...(found.executor_profile !== undefined && { executor_profile: found.executor_profile }),
      ...(found.demands !== undefined && { demands: found.demands }),
      project_dir,
    };
  }
}

/** @throws ApiError unless an agent may run there */
function folderOf(cwd: string | undefined): string {
  const workDir = cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (workDir === undefined) throw new ApiError('folder_outside', 'No folder is open.');
  if (!vscode.workspace.isTrusted)
    throw new ApiError('workspace_untrusted', 'Vitrine does not start agents in Restricted Mode.');
  const folder = vscode.Uri.file(path.resolve(workDir));
  if (vscode.workspace.getWorkspaceFolder(folder) === undefined)
    throw new ApiError('folder_outside', `${workDir} is not a folder of this workspace.`);
  return folder.fsPath;
}
