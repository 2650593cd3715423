import { joinAnswers } from '../../../engine/search/sharedAnswer.ts';
import {
  isObserved,
  type SearchCoverage,
  type SearchHit,
  type SearchRequest,
  type SessionHits,
} from '../../../engine/search/types.ts';
import { visibleLine } from '../../../model/text/visibleText.ts';
import { problemText } from '../../../insight/search/query.ts';
import { numberOption, parseOptions } from '../../options/args.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { createEngine, storeHelp } from '../../run/engine.ts';
import { writeLines } from '../../print/output.ts';
import { counted } from '../../print/counted.ts';

const help = `Usage: vitrine search TEXT [options]
       vitrine search --rebuild [TEXT]

Searches Vitrine's own sessions and those that other programs started, including tool output.
Words match by prefix, and one entry must contain all of them.

  "two words"        exact phrase; add quotes for the shell
  tool:NAME          calls to this tool
  file:PART          tool calls that mention this file
  kind:KIND          user, assistant, thinking, system, error, tool, read, edit, command, search, web, other
  state:STATE        done, failed, denied, cancelled, running
  error              failed calls and errors; "error" in quotes searches for the word

The index is in catalogue.db next to the records and is updated incrementally.

  --json             one hit per line as JSON
  --limit N          sessions to show; default: 50
  --hits N           hits to show per session; default: 20, but 3 after the first 100 hits
  --team             includes sessions that other team members share
  --own              only sessions that Vitrine recorded
  --synthetic        includes follow-ups and child results
  --rebuild          rebuilds the catalogue first
${storeHelp}
Exit code 1: no matches.
`;

const options = {
  store: { type: 'string' },
  json: { type: 'boolean' },
  limit: { type: 'string' },
  hits: { type: 'string' },
  synthetic: { type: 'boolean' },
  own: { type: 'boolean' },
  team: { type: 'boolean' },
  rebuild: { type: 'boolean' },
} as const;

export const search: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('search', { args: [...args], options, allowPositionals: true });
    const query = positionals.join(' ').trim();
    if (query === '' && values.rebuild !== true)
      throw new UsageError('The search text is missing.', 'Add a word, as in: vitrine search timeout');
    const engine = createEngine(context, { store: values.store, excludesObserved: values.own === true });
    try {
      const sessionSearch = engine.archive.search;
      if (values.rebuild === true) {
        const scanned = await sessionSearch.rebuild();
        if (query === '') {
          printNotes(context, scanned, []);
          return 0;
        }
      }
      const request = {
        query,
        ...(values.synthetic === true && { synthetic: true }),
        ...(values.limit !== undefined && { mostSessions: numberOption('--limit', values.limit) }),
        ...(values.hits !== undefined && { mostHits: numberOption('--hits', values.hits) }),
      };
      const own = await sessionSearch.search(request);
      const shared = values.team === true ? await sharedAnswer(context, values.store, request) : undefined;
      const answer = shared === undefined ? own : joinAnswers(own, shared);
      if (values.json === true)
        await writeLines(
          context.stdout,
          answer.sessions.flatMap(({ hits }) => hits),
        );
      else for (const session of answer.sessions) context.stdout.write(hitsText(session));
      const remaining = answer.moreSessions === 0 ? [] : [`More matching sessions: ${answer.moreSessions} (--limit).`];
      const { leftOut } = answer;
      const omitted = leftOut === 0 ? [] : [`Hidden follow-ups and child results: ${leftOut} (--synthetic).`];
      printNotes(context, answer.scanned, [...answer.problems.map(problemText), ...omitted, ...remaining]);
      return answer.sessions.length === 0 ? 1 : 0;
    } finally {
      await engine.dispose();
    }
  },
};

/** Loaded only for `--team`. @throws UsageError */
async function sharedAnswer(context: CliContext, store: string | undefined, request: SearchRequest) {
  const { searchShared } = await import('../../sessions/team.ts');
  return searchShared(context, store, request);
}

function hitsText({ session, hits, count, unsure }: SessionHits): string {
  const title = session.title ?? session.prompt;
  const omitted = count - hits.length;
  const rest = omitted === 0 ? '' : `  … ${unsure ? 'up to ' : ''}${omitted} more\n`;
  const shared = isObserved(session) ? undefined : session.shared;
  const sharedBy = shared === undefined ? '' : visibleLine(`  (${shared.member} on ${shared.hostname})`);
  return `${session.session_id}  ${session.updated_at.slice(0, 16).replace('T', ' ')}  ${visibleLine(title)}${sharedBy}\n${hits.map(line).join('')}${rest}\n`;
}

function line({ entry, kind, tool, origin, excerpt }: SearchHit): string {
  return `  [${entry}] ${visibleLine(tool ?? origin ?? kind.replace('_message', ''))}: ${visibleLine(excerpt.text)}\n`;
}

/** On stderr, so that results can be piped. */
function printNotes({ stderr }: CliContext, scanned: SearchCoverage, notes: readonly string[]): void {
  const { sessions, entries, cut, damaged, unreadable, omitsOlderShared } = scanned;
  const lines = [
    `Searched ${counted(sessions, 'session')}, ${counted(entries, 'entry', 'entries')}.`,
    ...(cut > 0 ? [`Searched only the beginning of ${counted(cut, 'long entry', 'long entries')}.`] : []),
    ...(damaged.length > 0 ? [`Damaged records, searched in part: ${damaged.join(', ')}`] : []),
    ...unreadable.map(({ id, reason }) => `${id} could not be read: ${reason}`),
    ...notes,
    ...(omitsOlderShared === true ? ['Only the team’s newest sessions are searched.'] : []),
  ];
  stderr.write(lines.map((line) => `${line}\n`).join(''));
}
