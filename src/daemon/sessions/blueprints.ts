import { homedir } from 'node:os';
import path from 'node:path';
import { withChoice } from '../../agents/withChoice.ts';
import type { BlueprintAccess } from '../../engine/blueprints/access.ts';
import { inputVariable } from '../../engine/blueprints/inputVariable.ts';
import { blueprintsFolder, loadBlueprints, type Blueprint } from '../../engine/blueprints/load.ts';
import { blueprintsIn, homeOf, filterTrusted } from '../../engine/blueprints/trusted.ts';
import type { EngineFailure } from '../../engine/failures/failures.ts';
import type { Agent } from '../../model/agent/agent.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ClientContexts } from '../clients/contexts.ts';

export interface DaemonBlueprintsDeps {
  readonly contexts: ClientContexts;
  /** Asks a person for an input value; `undefined`: none was given. */
  readonly input: (name: string, agent: Agent) => Promise<string | undefined>;
  readonly onUndeliveredCallbacks: (session: SessionSummary, failure: EngineFailure) => void;
}

/** Agent files, used with the clients' settings for their folders. */
export function daemonBlueprints({ contexts, input, onUndeliveredCallbacks }: DaemonBlueprintsDeps): BlueprintAccess {
  return {
    load: (folder) => load(folder, contexts),
    use: {
      options: (executor, cwd) => contexts.options(cwd, executor),
      environment: (cwd) => contexts.environment(cwd),
      input: async (name, agent) => contexts.environmentNear(agent.file)[inputVariable(name)] ?? input(name, agent),
    },
    chosen: ({ session_id: id, project_dir: folder = '' }, request) => ({
      ...request,
      options: withChoice(request.options ?? {}, contexts.choice(folder, id)),
    }),
    onUndeliveredCallbacks,
    tags: () => contexts.tags(),
    isTrusted: (folder) => contexts.isTrusted(folder),
  };
}

/** Trust of the user and the folder: for all files, or for those trusted one by one. */
async function load(folder: string, contexts: ClientContexts): Promise<readonly Blueprint[]> {
  const home = homeOf(contexts.environment(folder)) ?? homedir();
  if (!contexts.isTrusted(folder))
    return loadBlueprints([{ folder: path.join(home, blueprintsFolder), level: 'user' }]);
  const all = await blueprintsIn(folder, home);
  return contexts.mayUseWorkspaceAgents(folder) ? all : filterTrusted(all, home);
}
