import * as vscode from 'vscode';
import type { Demands } from '../../model/session/demands.ts';
import type { ListedRunner } from '../../model/session/runner.ts';
import type { ListedRun, WaitingReason } from '../../model/session/waiting.ts';
import { figures } from '../text/numberFormat.ts';
import { visibleText } from '../text/inertText.ts';
import { exactDateTime } from '../text/dates.ts';

const { t } = vscode.l10n;

/** Characters of a prompt in a hover. */
const longestPrompt = 1000;

/** Why a run waits; `undefined`: a runner can take it now. */
export function waitingReason(waiting: WaitingReason | undefined): string {
  switch (waiting?.kind) {
    case undefined:
      return t('next in line for a runner');
    case 'no_runner':
      return t('no runner is online');
    case 'executor': {
      const offered = visibleText(waiting.offered.join(', '));
      return t('no online runner offers {0}; online: {1}', visibleText(waiting.executor_type), offered);
    }
    case 'demands': {
      const { tags, ...properties } = waiting.unmet;
      const [tag, ...others] = tags;
      const isTag = tag !== undefined && others.length === 0 && Object.keys(properties).length === 0;
      return isTag
        ? t('no online runner has the tag {0}', visibleText(tag))
        : t('no online runner has {0}', demandsText(waiting.unmet));
    }
    case 'folder':
      return t('no online runner works in {0}', visibleText(waiting.folder));
    case 'session':
      return t('an earlier run of the same session has not ended');
    case 'budget': {
      const { scope, key, period, limit_usd } = waiting.budget;
      const [owner, limit] = [visibleText(key), figures.money(limit_usd)];
      if (scope === 'team')
        return period === 'day'
          ? t('the team’s budget for today is used up ({0})', limit)
          : t('the team’s budget for this month is used up ({0})', limit);
      return period === 'day'
        ? t('today’s budget of {0} is used up ({1})', owner, limit)
        : t('this month’s budget of {0} is used up ({1})', owner, limit);
    }
    case 'busy':
      return waiting.runners.length === 1
        ? t('the only runner that can take it is busy')
        : t('all {0} runners that can take it are busy', waiting.runners.length);
  }
}

/** Such as `tags gpu, web · machine build-01`. */
export function demandsText({ tags, hostname, project_dir, executor_type }: Demands): string {
  const parts = [
    ...(tags.length === 0 ? [] : [t('tags {0}', tags.join(', '))]),
    ...(hostname === undefined ? [] : [t('machine {0}', hostname)]),
    ...(project_dir === undefined ? [] : [t('folder {0}', project_dir)]),
    ...(executor_type === undefined ? [] : [executor_type]),
  ];
  return visibleText(parts.join(' · '));
}

/** First line of the prompt. */
export function runTitle({ prompt }: Pick<ListedRun, 'prompt'>): string {
  const [first = ''] = prompt.trim().split('\n');
  return visibleText(first.length > 120 ? `${first.slice(0, 119)}…` : first);
}

/** State of a run: why it waits, or where it runs. */
export function runState(run: ListedRun, runners: readonly ListedRunner[]): string {
  if (run.status === 'pending') return waitingReason(run.waiting);
  const runner = runners.find(({ runner_id }) => runner_id === run.runner_id);
  const place = runner === undefined ? '' : visibleText(runner.hostname);
  if (run.status === 'stopping') return place === '' ? t('stopping') : t('stopping on {0}', place);
  return place === '' ? t('running') : t('running on {0}', place);
}

/** Agent, and the team member who requested the run. */
export function runOrigin({ agent_name, executor_type, requested_by }: ListedRun): string[] {
  const agent = agent_name ?? executor_type;
  return [
    ...(agent === undefined ? [] : [visibleText(agent)]),
    ...(requested_by === undefined ? [] : [t('team, {0}', visibleText(requested_by))]),
  ];
}

/** Age in whole minutes; empty within the first minute. */
export function waitingSinceText(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  return minutes < 1 ? '' : figures.duration(minutes * 60_000);
}

export function runnerParts(runner: ListedRunner, isHere: boolean): string[] {
  const { executor_type, tags, limit, running, status, seconds_since_heartbeat: seconds, owner } = runner;
  const ago = figures.duration(wholeSeconds(seconds * 1000));
  return [
    visibleText(executor_type),
    ...(isHere ? [t('this window')] : []),
    ...(tags.length === 0 ? [] : [t('tags {0}', visibleText(tags.join(', ')))]),
    ...(running === undefined || limit === undefined ? [] : [t('{0} of {1} running', running, limit)]),
    ...(owner === undefined ? [] : [t('team, {0}', visibleText(owner))]),
    status === 'online' ? t('heartbeat {0} ago', ago) : t('stale, last heartbeat {0} ago', ago),
  ];
}

/** Facts of a run for its hover, as pairs. */
export function runFacts(run: ListedRun, runners: readonly ListedRunner[]): [string, string][] {
  const { prompt, demands, project_dir, created_at, timeout_at, status, run_id } = run;
  const shownPrompt = prompt.length > longestPrompt ? `${prompt.slice(0, longestPrompt - 1)}…` : prompt;
  const optional: [string, string | undefined][] = [
    [t('Demands'), demands === undefined ? undefined : demandsText(demands)],
    [t('Folder'), project_dir],
    [t('Queued'), exactDateTime(created_at)],
    [t('Start deadline'), status === 'pending' && timeout_at !== undefined ? exactDateTime(timeout_at) : undefined],
    [t('Run'), run_id],
  ];
  const known = optional.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return [[t('Prompt'), shownPrompt], [t('Status'), [runState(run, runners), ...runOrigin(run)].join(' · ')], ...known];
}

export function runnerFacts(runner: ListedRunner): [string, string][] {
  const { runner_id, project_dir, within, registered_at, last_heartbeat } = runner;
  return [
    [t('Folder'), project_dir],
    [t('Accepts runs in'), within === undefined ? t('any folder') : within.join(', ')],
    [t('Registered'), exactDateTime(registered_at)],
    [t('Last heartbeat'), exactDateTime(last_heartbeat)],
    [t('Runner'), runner_id],
  ];
}

function wholeSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000) * 1000);
}
