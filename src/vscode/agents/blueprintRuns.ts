import * as vscode from 'vscode';
import type { AgentOptions } from '../../agents/adapter.ts';
import type { ResumeRequest, StartRequest } from '../../engine/api.ts';
import type { BlueprintAccess } from '../../engine/blueprints/access.ts';
import type { Blueprint } from '../../engine/blueprints/load.ts';
import type { BlueprintUse } from '../../engine/blueprints/request.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { agentOptions, resumeFrom } from '../settings/settings.ts';
import type { AgentCatalogue } from './agentCatalogue.ts';
import type { AgentInputs } from './agentInputs.ts';

type ResumedSession = Pick<SessionSummary, 'agent_name' | 'executor_type' | 'project_dir'>;

interface ResumeOverrides {
  readonly prompt: string;
  readonly settings: AgentOptions;
  readonly applyOverrides: (options: AgentOptions) => AgentOptions;
}

type RunOverrides = Pick<BlueprintUse, 'prompt' | 'cwd' | 'options'>;

/** Builds run requests for agent files from settings, saved inputs and the file. */
export class BlueprintRuns {
  readonly access: BlueprintAccess;
  readonly #catalogue: AgentCatalogue;

  constructor(catalogue: AgentCatalogue, inputs: AgentInputs) {
    this.#catalogue = catalogue;
    this.access = {
      load: (folder) => catalogue.load(folder),
      use: {
        options: (executor, cwd) => agentOptions(executor, uriOf(cwd)),
        environment: process.env,
        input: (name, agent) => inputs.value(agent, name),
      },
    };
  }

  /** Agent files of the workspace and the user. */
  all(): Promise<readonly Blueprint[]> {
    return this.#catalogue.load();
  }

  /** @throws EngineFailure if the agent cannot be started */
  async start(name: string, used: RunOverrides): Promise<StartRequest> {
    const { findBlueprint, startRequest } = await import('../../engine/blueprints/request.ts');
    const { load, use } = this.access;
    return startRequest(findBlueprint(await load(used.cwd), name), { ...use, ...used });
  }

  /**
   * Resume request of an agent file's session. `missing` is set if the file was deleted. `settings`: of the executor.
   * `applyOverrides`: options chosen for this session, which override the file.
   * @throws EngineFailure if the file exists and cannot be started
   */
  async resume(
    session: ResumedSession,
    { prompt, settings, applyOverrides }: ResumeOverrides,
  ): Promise<ResumeRequest & { readonly missing?: string }> {
    const { agent_name: name, project_dir: cwd = '' } = session;
    const from = resumeSetting(session);
    const plain = { prompt, options: applyOverrides(settings), ...from };
    if (name === undefined) return plain;
    const { findBlueprint, resumeRequest } = await import('../../engine/blueprints/request.ts');
    const { load, use } = this.access;
    const all = await load(cwd);
    if (!all.some((blueprint) => blueprint.name === name)) return { ...plain, missing: name };
    const request = await resumeRequest(findBlueprint(all, name), { ...use, prompt, cwd, options: () => settings });
    return { ...request, options: applyOverrides(request.options), ...from };
  }
}

/** Setting of the folder for which session id to resume. */
function resumeSetting({ executor_type: type, project_dir: cwd = '' }: ResumedSession): Pick<ResumeRequest, 'from'> {
  return type === undefined || type === 'claude-code' ? { from: resumeFrom(uriOf(cwd)) } : {};
}

const uriOf = (folder: string): vscode.Uri | undefined => (folder === '' ? undefined : vscode.Uri.file(folder));
