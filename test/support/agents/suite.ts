import { skip } from '../skip.ts';
import { type AgentPlace, agentPlace, type PlaceOptions } from './place.ts';
import { AgentRuns } from './runs.ts';

export interface AgentSuiteOptions extends PlaceOptions {
  /** Installs the program, or says why it cannot be had here. */
  readonly ensure: () => Promise<{ readonly program: string } | { readonly missing: string }>;
  /** Of the runs; see `AgentRuns`. */
  readonly runs: ConstructorParameters<typeof AgentRuns>[0];
  readonly profile?: string;
  readonly interactive?: boolean;
}

/** Both are there from the first test of the suite on. */
export interface AgentSuite {
  readonly place: AgentPlace;
  readonly runs: AgentRuns;
}

/** Sets up one real agent for the suite it is called in, and takes it away after it; skips the suite without a program. */
export function agentSuite(options: AgentSuiteOptions): AgentSuite {
  let made: AgentSuite | undefined;
  const suite = (): AgentSuite => {
    if (made === undefined) throw new Error('the agent is there when the tests run, not before');
    return made;
  };

  before(async function () {
    const installed = await options.ensure();
    if ('missing' in installed) skip(this, installed.missing);
    const { runs: type, profile, interactive = false } = options;
    const place = await agentPlace(installed.program, options);
    const runs = new AgentRuns(type, place, { interactive, ...(profile !== undefined && { profile }) });
    made = { place, runs };
  });
  after(async () => {
    await made?.runs.dispose();
    await made?.place.remove();
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
