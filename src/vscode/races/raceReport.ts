import type { ComparedLane, Comparison, Overlap } from '../../model/race/comparison.ts';
import { isRaceOver, type CommandResult, type Lane, type Race } from '../../model/race/race.ts';
import type {
  Report,
  ReportAction,
  ReportCell,
  ReportFact,
  ReportSection,
  ReportTone,
} from '../../model/pages/report.ts';
import type { NumberFormat } from '../../text/numberFormat.ts';
import { changeWord } from '../pages/changeWord.ts';

/** Maximum characters of a text from agents or commands, and number of listed files. */
const maxCharacters = 4000;
const maxFiles = 1000;

/** What a comparison page shows. */
export interface ComparisonContext {
  readonly comparison: Comparison;
  /** `null`: sessions without a race. */
  readonly race: Race | null;
  /** Sessions with a request that waits for an answer. */
  readonly waiting: ReadonlySet<string>;
  readonly words: TextFormat;
  /** The button of an action. */
  readonly button: (act: RaceAction, label: string, icon: string) => ReportAction;
}

export interface TextFormat {
  /** Translates. */
  readonly t: (message: string, ...values: (string | number)[]) => string;
  readonly figures: Pick<NumberFormat, 'count' | 'duration' | 'money'>;
}

/** What a button does: to one result, or to the race. */
export type RaceAction =
  | { readonly kind: 'open' | 'stop'; readonly session: string }
  | { readonly kind: 'changes' | 'apply' | 'branch'; readonly lane: string }
  | { readonly kind: 'review'; readonly session: string }
  | { readonly kind: 'undo' | 'stopAll' | 'clean' };

/** The page that compares the results of a race, or sessions. */
export function raceReport(compares: ComparisonContext): Report {
  const { comparison, race, words } = compares;
  const { t } = words;
  const { results } = comparison;
  const [subject = ''] = (comparison.prompt ?? '').trim().split('\n');
  const title = race === null ? t('Compare Sessions') : t('Race: {0}', cut(subject, 60));
  return {
    title,
    ...(race === null ? {} : { facts: raceFacts(race, words), actions: raceActions(race, compares) }),
    sections: [
      {
        title: t('Results'),
        tables: [
          {
            label: t('What each agent did'),
            columns: [
              { label: t('Result') },
              { label: t('Outcome') },
              { label: t('Check') },
              { label: t('Files'), numeric: true },
              { label: t('Lines added'), numeric: true },
              { label: t('Lines removed'), numeric: true },
              { label: t('Time'), numeric: true },
              { label: t('Cost'), numeric: true },
              { label: t('Unsupported claims'), numeric: true },
            ],
            rows: results.map((result) => row(result, compares)),
            note: t('Unsupported claims: statements by the agent that its session contradicts or does not support.'),
          },
        ],
      },
      ...results.map((result) => resultSection(result, compares)),
      ...overlapSection(comparison, words),
    ],
  };
}

function raceFacts(race: Race, { t, figures }: TextFormat): ReportFact[] {
  const { state, folder, base, includes_changes: withChanges, limits, check, setup, applied } = race;
  const patch = patchOf(race);
  const branches = applied.filter(({ how }) => how === 'branch').map(({ branch }) => branch ?? '');
  return [
    fact(t('Prompt'), race.prompt),
    {
      name: t('State'),
      value: { text: stateWord(state, t), ...withTone(state === 'interrupted' ? 'warning' : undefined) },
    },
    { name: t('Folder'), value: code(folder) },
    fact(
      t('Start'),
      withChanges ? t('{0}, with your uncommitted changes', base.slice(0, 12)) : t('commit {0}', base.slice(0, 12)),
    ),
    ...(check === undefined ? [] : [{ name: t('Check command'), value: code(check) }]),
    ...(setup === undefined ? [] : [{ name: t('Setup command'), value: code(setup) }]),
    ...(limits?.usd === undefined ? [] : [fact(t('Budget'), figures.money(limits.usd))]),
    ...(patch === undefined ? [] : [fact(t('Applied'), appliedText(patch, t))]),
    ...(branches.length === 0 ? [] : [{ name: t('Branches'), value: code(branches.join(', ')) }]),
  ];
}

/** The newest patch that was not undone. */
function patchOf({ applied }: Race): Race['applied'][number] | undefined {
  return applied.findLast(({ how, undone }) => how === 'patch' && undone !== true);
}

function appliedText({ lane, files }: Race['applied'][number], t: TextFormat['t']): string {
  return files.length === 0 ? t('{0}: your files already have this result', lane) : `${lane}: ${files.join(', ')}`;
}

function raceActions(race: Race, { button, words: { t } }: ComparisonContext): ReportAction[] {
  if (!isRaceOver(race)) return [button({ kind: 'stopAll' }, t('Stop Race'), 'debug-stop')];
  const patch = patchOf(race);
  return [
    ...(patch === undefined ? [] : [button({ kind: 'undo' }, t('Undo “{0}”', patch.lane), 'discard')]),
    button({ kind: 'clean' }, t('Clean Up…'), 'trash'),
  ];
}

function row(result: ComparedLane, { comparison, race, waiting, words }: ComparisonContext): ReportCell[] {
  const { t, figures } = words;
  const { name, label, title, files, ms, cost, unsupported } = result;
  const lane = race?.lanes.find((candidate) => candidate.name === name);
  const unknown: ReportCell = { text: t('unknown'), sort: null };
  const known = (value: number | null, text: (value: number) => string): ReportCell =>
    value === null ? unknown : { text: text(value), sort: value };
  const count = (value: number): string => figures.count(value);
  return [
    race === null ? plain(`${cut(title ?? name, 80)} · ${label}`) : plain(`${name} · ${label}`),
    outcomeCell(result, lane, waiting, words),
    checkCell(result.check, comparison.check !== null, words),
    known(files === null ? null : files.length, count),
    known(sum(files, 'added'), count),
    known(sum(files, 'removed'), count),
    known(ms, (value) => figures.duration(value)),
    costCell(cost, words),
    known(unsupported, count),
  ];
}

function outcomeCell(
  { outcome, session_id: session }: ComparedLane,
  lane: Lane | undefined,
  waiting: ReadonlySet<string>,
  { t }: TextFormat,
): ReportCell {
  if (session !== null && waiting.has(session)) return { text: t('waiting for you'), tone: 'warning' };
  switch (lane?.state) {
    case 'waiting':
      return { text: t('waiting'), tone: 'dim' };
    case 'preparing':
      return { text: t('preparing the worktree'), tone: 'dim' };
    case 'checking':
      return { text: t('running the check command'), tone: 'dim' };
    case 'failed':
      return { text: t('failed'), tone: 'error' };
    case 'running':
    case 'done':
    case undefined:
  }
  switch (outcome) {
    case null:
      return { text: lane?.state === 'running' ? t('starting') : t('not started'), tone: 'dim' };
    case 'running':
      return { text: t('running'), tone: 'dim' };
    case 'completed':
      return { text: t('completed'), tone: 'good' };
    case 'failed':
      return { text: t('failed'), tone: 'error' };
    case 'stopped':
      return { text: t('stopped'), tone: 'warning' };
    case 'interrupted':
      return { text: t('interrupted'), tone: 'warning' };
    case 'none':
      return { text: t('no run'), tone: 'dim' };
  }
}

/** Sorted by exit code, so that those that passed come first. */
function checkCell(check: CommandResult | null, isGiven: boolean, { t }: TextFormat): ReportCell {
  if (check === null) return { text: isGiven ? t('not run') : t('none'), sort: null, tone: 'dim' };
  const { exit_code: exit, signal, timed_out: timedOut } = check;
  if (timedOut) return { text: t('timed out'), sort: 1000, tone: 'error' };
  if (exit === null) return { text: signal ?? t('not run'), sort: 1001, tone: 'error' };
  if (exit === 0) return { text: t('passed'), sort: 0, tone: 'good' };
  return { text: t('failed (exit code {0})', exit), sort: exit, tone: 'error' };
}

function costCell(cost: ComparedLane['cost'], { t, figures }: TextFormat): ReportCell {
  if (cost.provenance === 'unknown') return { text: t('unknown'), sort: null };
  const amount = figures.money(cost.usd);
  const text = cost.provenance === 'estimated' ? t('≈ {0} (estimated)', amount) : t('{0} (reported)', amount);
  return { text, sort: cost.usd };
}

/** Lines of all files; `null`: unknown for all, as in binary files. */
function sum(files: ComparedLane['files'], of: 'added' | 'removed'): number | null {
  if (files === null) return null;
  const known = files.flatMap((file) => file[of] ?? []);
  return known.length === 0 && files.length > 0 ? null : known.reduce((total, lines) => total + lines, 0);
}

function resultSection(result: ComparedLane, compares: ComparisonContext): ReportSection {
  const { t, figures } = compares.words;
  const { name, label, title, session_id: session, reason, branch, worktree, check, setup, files } = result;
  const failedSetup = setup !== null && setup.exit_code !== 0 ? setup : null;
  const shown = files?.slice(0, maxFiles) ?? [];
  const lines = (value: number | null): ReportCell =>
    value === null ? { text: t('unknown'), sort: null } : { text: figures.count(value), sort: value };
  return {
    title: compares.race === null ? cut(title ?? label, 80) : `${name} · ${label}`,
    facts: [
      ...(reason === null ? [] : [fact(t('Reason'), reason)]),
      ...(session === null ? [] : [{ name: t('Session ID'), value: code(session) }]),
      ...(worktree === null ? [] : [{ name: t('Worktree'), value: code(worktree) }]),
      ...(branch === null ? [] : [{ name: t('Branch'), value: code(branch) }]),
      ...(failedSetup === null
        ? []
        : [{ name: t('Output of the setup command'), value: code(endOfOutput(failedSetup.output)) }]),
      ...(check === null || check.output.trim() === ''
        ? []
        : [{ name: t('Output of the check command'), value: code(endOfOutput(check.output)) }]),
    ],
    actions: resultActions(result, compares),
    ...(shown.length > 0 && {
      tables: [
        {
          label: t('Files changed in {0}', compares.race === null ? label : name),
          columns: [
            { label: t('File') },
            { label: t('Change') },
            { label: t('Lines added'), numeric: true },
            { label: t('Lines removed'), numeric: true },
          ],
          rows: shown.map(({ path, change, added, removed }) => [
            code(path),
            plain(changeWord(change, t)),
            lines(added),
            lines(removed),
          ]),
          ...(files !== null &&
            files.length > shown.length && { note: t('Too many changes: not every file is listed.') }),
        },
      ],
    }),
  };
}

function resultActions(result: ComparedLane, { race, button, words: { t } }: ComparisonContext): ReportAction[] {
  const { name, session_id: session, outcome, files } = result;
  const lane = race?.lanes.find((candidate) => candidate.name === name);
  const hasChanges = files !== null && files.length > 0;
  const open = session === null ? [] : [button({ kind: 'open', session }, t('Open Session'), 'comment-discussion')];
  const stop =
    session !== null && outcome === 'running' ? [button({ kind: 'stop', session }, t('Stop'), 'debug-stop')] : [];
  if (race === null || lane === undefined) {
    const review =
      session !== null && hasChanges ? [button({ kind: 'review', session }, t('Show Changes'), 'diff-multiple')] : [];
    return [...open, ...stop, ...review];
  }
  return [
    ...open,
    ...stop,
    ...(hasChanges ? [button({ kind: 'changes', lane: name }, t('Show Changes'), 'diff-multiple')] : []),
    ...(hasChanges && isRaceOver(race)
      ? [
          button({ kind: 'apply', lane: name }, t('Apply'), 'check'),
          button({ kind: 'branch', lane: name }, t('Create Branch'), 'git-branch'),
        ]
      : []),
  ];
}

function overlapSection({ overlaps, results }: Comparison, { t, figures }: TextFormat): ReportSection[] {
  if (overlaps.length === 0) return [];
  const nameOf = (name: string): string => {
    const result = results.find((candidate) => candidate.name === name);
    return result?.title === null || result === undefined || result.worktree !== null ? name : cut(result.title, 60);
  };
  const known = (value: number | null): ReportCell =>
    value === null ? { text: t('unknown'), sort: null } : { text: figures.count(value), sort: value };
  return [
    {
      title: t('In Common'),
      tables: [
        {
          label: t('Files changed by two results'),
          columns: [
            { label: t('Result') },
            { label: t('Other result') },
            { label: t('Files'), numeric: true },
            { label: t('Lines'), numeric: true },
            { label: t('Files with the same content'), numeric: true },
            { label: t('Names') },
          ],
          rows: overlaps.map(({ a, b, files, lines, same }: Overlap) => [
            plain(nameOf(a)),
            plain(nameOf(b)),
            known(files.length),
            known(lines),
            known(same === null ? null : same.length),
            code(files.join(', ')),
          ]),
        },
      ],
    },
  ];
}

function stateWord(state: Race['state'], t: TextFormat['t']): string {
  switch (state) {
    case 'running':
      return t('running');
    case 'finished':
      return t('finished');
    case 'stopped':
      return t('stopped');
    case 'interrupted':
      return t('interrupted');
  }
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
/** The end of a command's output says most. */
const endOfOutput = (output: string): string => {
  const text = output.trimEnd();
  return text.length > maxCharacters ? `…${text.slice(-maxCharacters)}` : text;
};
const plain = (text: string): ReportCell => ({ text: cut(text, maxCharacters) });
const code = (text: string): ReportCell => ({ text: cut(text, maxCharacters), code: true });
const fact = (name: string, text: string): ReportFact => ({ name, value: plain(text) });
const withTone = (value: ReportTone | undefined) => (value === undefined ? {} : { tone: value });
