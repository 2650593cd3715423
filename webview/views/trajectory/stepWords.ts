import type { StepKind } from '../../../src/model/transcript/steps.ts';
import type {
  LaneLine,
  MomentLine,
  RepeatMark,
  StepLine,
  TrajectoryLine,
} from '../../../src/protocol/panel/viewMessages.ts';
import { plural, t } from '../../l10n.ts';
import { type Context, waitsForEarlier, isLive } from '../../parts/context.ts';
import { openState, type StepState } from '../../steps/state.ts';
import { duration } from '../../text/format.ts';
import { splitPath } from '../../text/paths.ts';
import { plain } from '../../text/visible.ts';

export const kindIcons: Readonly<Record<StepKind, string>> = {
  read: 'file',
  edit: 'edit',
  command: 'terminal',
  search: 'search',
  web: 'globe',
  other: 'tools',
};

export const momentIcons = { thought: 'thinking', answer: 'comment', error: 'warning' } as const;

export function kindWord(kind: StepKind): string {
  switch (kind) {
    case 'read':
      return t('Read');
    case 'edit':
      return t('Edit');
    case 'command':
      return t('Command');
    case 'search':
      return t('Search');
    case 'web':
      return t('Web');
    case 'other':
      return t('Other');
  }
}

export function momentWord(type: MomentLine['type']): string {
  if (type === 'thought') return t('Thought');
  return type === 'answer' ? t('Answer') : t('Error');
}

export function lineState(context: Context, line: StepLine): StepState {
  switch (line.status) {
    case 'created':
    case 'running':
      if (!isLive(context, line.turn - 1)) return 'unanswered';
      return openState(line.status, {
        waits: context.requests.requestOfCall(line.callId),
        isBehindWaiting: waitsForEarlier(context, line.number),
      });
    case 'success':
      return hasFailed(line) ? 'failed' : 'done';
    default:
      return line.status;
  }
}

const hasFailed = ({ exitCode }: StepLine): boolean => exitCode !== null && exitCode !== 0;

export function stateSentence(state: StepState, line: StepLine): string {
  switch (state) {
    case 'done':
      return t('Done');
    case 'running':
      return t('Running');
    case 'failed':
      return hasFailed(line) ? t('Failed, exit {0}', line.exitCode ?? '') : t('Failed');
    case 'denied':
      return t('Denied');
    case 'cancelled':
      return t('Cancelled');
    case 'unanswered':
      return t('Not answered');
    case 'approval':
      return t('Needs your approval');
    case 'behind':
      return t('Waiting for an earlier approval');
    case 'queued':
      return t('Queued');
  }
}

/** Text beside the bar. */
export function barLabel(state: StepState, line: StepLine): string {
  const took = line.durationMs === null ? '' : duration(line.durationMs);
  if (state === 'failed')
    return [hasFailed(line) ? t('exit {0}', line.exitCode ?? '') : t('failed'), took]
      .filter((part) => part !== '')
      .join(' · ');
  if (state === 'denied') return t('denied');
  if (state === 'cancelled') return [t('cancelled'), took].filter((part) => part !== '').join(' · ');
  if (state === 'unanswered') return t('not answered');
  if (state === 'approval') return t('needs approval');
  if (state === 'behind') return t('waiting for an earlier approval');
  if (state === 'queued') return t('queued');
  return line.added === null && line.removed === null ? took : counts(line);
}

export function counts({ added, removed }: Pick<StepLine, 'added' | 'removed'>): string {
  return [added === null ? '' : `+${added}`, removed === null ? '' : `−${removed}`]
    .filter((part) => part !== '')
    .join(' ');
}

/** Name and folder of a step's subject. */
export function stepSubject(line: StepLine, projectDir: string | undefined): { name: string; folder: string } {
  if (line.path === null)
    return { name: line.kind === 'web' ? line.title.replace(/^https?:\/\//, '') : line.title, folder: '' };
  const { name, folder } = splitPath(line.path, projectDir);
  return { name: name === '' ? line.title : name, folder };
}

export function laneName(lane: LaneLine): string {
  if (lane.id === '') return t('Main agent');
  return lane.agentType === null ? t('Subagent') : plain(lane.agentType);
}

export function repeatText({ kind, steps }: RepeatMark): string {
  const first = steps[0]?.number ?? '';
  return kind === 'duplicate_read'
    ? t('Repeats the read in step {0}; nothing changed in between', first)
    : t('Repeats the failure in step {0}; nothing changed in between', first);
}

/** The whole line as a sentence, for screen readers. */
export function lineLabel(context: Context, line: TrajectoryLine): string {
  if (line.type === 'lane') {
    return [laneName(line), plain(line.title), plural(line.steps, t('{0} step', 1), t('{0} steps'))]
      .filter((part) => part !== '')
      .join(', ');
  }
  const parts =
    line.type === 'step'
      ? stepParts(context, line)
      : [momentWord(line.type), plain(line.title), duration(line.duration)];
  return parts.filter((part) => part !== '').join(', ');
}

function stepParts(context: Context, line: StepLine): string[] {
  const { name, folder } = stepSubject(line, context.store.view?.summary.project_dir);
  return [
    t('Step {0}', line.number),
    kindWord(line.kind),
    plain(name),
    folder === '' ? '' : t('in {0}', plain(folder)),
    counts(line),
    line.durationMs === null ? '' : duration(line.durationMs),
    stateSentence(lineState(context, line), line),
    line.group === null ? '' : t('in parallel with others'),
    line.repeats === null ? '' : repeatText(line.repeats),
  ];
}
