import type { Demands } from '../model/session/demands.ts';
import type { UsedUpBudget, WaitingReason } from '../model/session/waiting.ts';
import type { Job } from './api.ts';
import { demandProperties, demandsText, matchesDemand, isWithin, meetsDemands } from './demands.ts';
import type { RegisteredRunner } from './runnerRegistry.ts';

/** How long a run waits for a runner that meets its demands. */
export const demandsTimeoutMs = 5 * 60_000;

export interface WaitingContext {
  readonly online: readonly RegisteredRunner[];
  /** Number of runs that a runner has. */
  readonly load: (runnerId: string) => number;
  /** An unfinished run of the same session that comes before this one. */
  readonly before: string | undefined;
  /** Used-up budgets of the team that apply to a run of `requestedBy`; default: none. */
  readonly usedUp?: readonly UsedUpBudget[];
  readonly requestedBy?: string;
}

/** The part of a job that decides which runner can take it. */
export type ClaimableJob = Pick<Job, 'executor_type'> & { readonly run: Pick<Job['run'], 'demands' | 'project_dir'> };

export function canTake({ runner, within }: RegisteredRunner, { executor_type, run }: ClaimableJob): boolean {
  return (
    executor_type === runner.executor_type && meetsDemands(runner, run.demands) && isWithin(run.project_dir, within)
  );
}

/** `undefined` if a runner can take it now. */
export function waitingReason(job: Job, context: WaitingContext): WaitingReason | undefined {
  const { online, load, before, usedUp = [], requestedBy } = context;
  if (before !== undefined) return { kind: 'session', run_id: before };
  const { executor_type, run } = job;
  const exceededBudget = (folder: string | undefined): UsedUpBudget | undefined =>
    usedUp.find(({ scope, key }) => {
      if (scope === 'team') return true;
      return key === (scope === 'member' ? requestedBy : scope === 'agent' ? run.agent_name : folder);
    });
  const budget = exceededBudget(run.project_dir);
  if (budget !== undefined) return { kind: 'budget', budget };
  if (online.length === 0) return { kind: 'no_runner' };
  const offeringRunners = online.filter(({ runner }) => runner.executor_type === executor_type);
  if (offeringRunners.length === 0) {
    const offered = [...new Set(online.map(({ runner }) => runner.executor_type))].sort();
    return { kind: 'executor', executor_type, offered };
  }
  const meeting = offeringRunners.filter(({ runner }) => meetsDemands(runner, run.demands));
  if (meeting.length === 0 && run.demands !== undefined)
    return { kind: 'demands', unmet: findUnmetDemands(offeringRunners, run.demands) };
  const capableRunners = meeting.filter((runner) => canTake(runner, job));
  if (capableRunners.length === 0) return { kind: 'folder', folder: run.project_dir ?? '' };
  // Without a folder of its own, it works in that of its runner.
  const exceededBudgets = capableRunners.map(({ runner }) => exceededBudget(run.project_dir ?? runner.project_dir));
  if (exceededBudgets[0] !== undefined && !exceededBudgets.includes(undefined))
    return { kind: 'budget', budget: exceededBudgets[0] };
  if (
    capableRunners.some(
      ({ runner, limit }, index) => exceededBudgets[index] === undefined && load(runner.runner_id) < limit,
    )
  )
    return undefined;
  return { kind: 'busy', runners: capableRunners.map(({ runner }) => runner.runner_id) };
}

function findUnmetDemands(runners: readonly RegisteredRunner[], demands: Demands): Demands {
  const unmet: Demands = {
    tags: demands.tags.filter((tag) => !runners.some(({ runner }) => runner.tags.includes(tag))),
  };
  for (const name of demandProperties) {
    const demanded = demands[name];
    if (demanded !== undefined && !runners.some(({ runner }) => matchesDemand(name, demanded, runner[name])))
      unmet[name] = demanded;
  }
  return demandsText(unmet) === '' ? demands : unmet;
}

/** Text for people, to end a sentence with. */
export function waitingText(waiting: WaitingReason): string {
  switch (waiting.kind) {
    case 'no_runner':
      return 'no runner is online';
    case 'executor':
      return `no online runner offers ${waiting.executor_type}; online: ${waiting.offered.join(', ')}`;
    case 'demands':
      return `no online runner has ${shortDemands(waiting.unmet)}`;
    case 'folder':
      return `no online runner works in ${waiting.folder}`;
    case 'session':
      return `${waiting.run_id} of the same session has not ended`;
    case 'budget':
      return budgetText(waiting.budget);
    case 'busy':
      return 'all runners that can take it are busy';
  }
}

/** Reason why a run is given up. */
export function unclaimedText({ executor_type, run }: Job, waiting: WaitingReason | undefined): string {
  const requirement = run.demands === undefined ? `for ${executor_type}` : `with ${demandsText(run.demands)}`;
  const why = waiting === undefined ? '' : `: ${waitingText(waiting)}`;
  return `No runner ${requirement} took this run within ${demandsTimeoutMs / 60_000} minutes${why}.`;
}

function budgetText({ scope, key, period, limit_usd }: UsedUpBudget): string {
  return `the budget of ${scope === 'team' ? 'the team' : key} is used up ($${limit_usd} per ${period})`;
}

function shortDemands(demands: Demands): string {
  const [tag, ...others] = demands.tags;
  const isOnlyTag = others.length === 0 && demandProperties.every((name) => demands[name] === undefined);
  return tag !== undefined && isOnlyTag ? `the tag ${tag}` : demandsText(demands);
}
