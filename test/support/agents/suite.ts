import { skip } from '../skip.ts';
import { type AgentPlace, agentPlace, type PlaceOptions } from './place.ts';
import { AgentRuns } from './runs.ts';

export interface AgentSuiteOptions extends PlaceOptions {
  /** Installs the program, or returns the reason why that failed. */
  readonly ensure: () => Promise<{ readonly program: string } | { readonly missing: string }>;
  /** Options of the runs; see `AgentRuns`. */
  readonly runs: ConstructorParameters<typeof AgentRuns>[0];
  readonly profile?: string;
  readonly interactive?: boolean;
}

/** Both are available from the first test of the suite on. */
export interface AgentSuite {
  readonly place: AgentPlace;
  readonly runs: AgentRuns;
}

/** Installs an agent before the current suite and cleans up after it; skips the suite if there is no program. */
export function agentSuite(options: AgentSuiteOptions): AgentSuite {
  let opened: AgentSuite | undefined;
  const suite = (): AgentSuite => {
    if (opened === undefined) throw new Error('the agent is there when the tests run, not before');
    return opened;
  };

  before(async function () {
    const installed = await options.ensure();
    if ('missing' in installed) skip(this, installed.missing);
    const { runs: type, profile, interactive = false } = options;
    const place = await agentPlace(installed.program, options);
    const runs = new AgentRuns(type, place, { interactive, ...(profile !== undefined && { profile }) });
    opened = { place, runs };
  });
  after(async () => {
    await opened?.runs.dispose();
    await opened?.place.remove();
  });

  return {
    get place() {
      return suite().place;
    },
    get runs() {
      return suite().runs;
    },
  };
}
