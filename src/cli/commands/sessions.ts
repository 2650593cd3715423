import path from 'node:path';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { withServerWaits } from '../../engine/sources/live/serverWaits.ts';
import { toSessionSummary } from '../../insight/observed/asSession.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import { englishNumbers } from '../../text/numberFormat.ts';
import { acpChoice, acpProfileIds } from '../options/acpAgent.ts';
import { agentOption, parseOptions } from '../options/args.ts';
import { UsageError, type Command } from '../command.ts';
import type { Engine } from '../../engine/engine.ts';
import { createEngine, storeHelp } from '../run/engine.ts';
import { reportDamaged } from '../print/incomplete.ts';
import { writeLines } from '../print/output.ts';
import { observedLine, sessionLines } from '../sessions/lines.ts';
import { observedSessions } from '../sessions/observed.ts';
import { printAgentSessions } from '../sessions/ofAgent.ts';

const help = `Usage: vitrine sessions [--all | --team] [options]
       vitrine sessions --of acp --profile ID [--cwd DIR]
       vitrine sessions --of acp [--cwd DIR] -- COMMAND [ARGUMENT…]

Lists sessions, newest first: ID, status, cost so far, last change, agent, title. First, stops agents that a crash
left running. Sessions with an incomplete record are marked as damaged and named on stderr.

  --json             one session per line as JSON, with its tool calls and pending requests
  --all              includes hidden sessions and sessions in the agents' own stores (docs/sources.md)
  --team             lists the team's shared sessions instead, with owner and machine
  --of TYPE          lists the sessions that the agent itself reports for a folder: ID, last change, title. Starts the agent.
                     Exit code 2: the agent has no list, or could not be asked
  --profile ID       Agent Client Protocol agent: ${acpProfileIds.join(', ')}
  --program PATH     path to its program; default: Vitrine searches for it
  --cwd DIR          the folder; default: the current one
${storeHelp}`;

const options = {
  store: { type: 'string' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  team: { type: 'boolean' },
  of: { type: 'string' },
  profile: { type: 'string' },
  program: { type: 'string' },
  cwd: { type: 'string' },
} as const;

export const sessions: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('sessions', { args: [...args], options, allowPositionals: true });
    const { of, profile, cwd: folder, json = false } = values;
    if (of !== undefined) {
      const agent = agentOption(of).type;
      const cwd = path.resolve(context.cwd, folder ?? '.');
      const program = values.program === undefined ? undefined : path.resolve(context.cwd, values.program);
      const canResume = false;
      const acp = acpChoice({ agent, canResume, profile, program, command: positionals, cwd: context.cwd });
      const chosen = acp?.profile === undefined ? {} : { profile: acp.profile };
      const engine = createEngine(context, { store: values.store, ...(acp !== undefined && { acp: acp.agents }) });
      return printAgentSessions(engine, context, { agent, cwd, ...chosen }, json);
    }
    const [unknown] = positionals;
    if (unknown !== undefined || profile !== undefined || folder !== undefined || values.program !== undefined) {
      throw new UsageError('Specify an agent.', 'Add --of acp, or list the sessions of all agents without options.');
    }
    if (values.team === true) {
      const { printTeamSessions } = await import('../sessions/team.ts');
      return printTeamSessions(context, values.store, json);
    }
    const engine = createEngine(context, { store: values.store });
    await engine.sweep();
    const own = await engine.list();
    const found = own.filter((summary) => values.all === true || summary.hidden !== true);
    const observed = values.all === true ? await observedOf(engine, own) : [];
    const damaged = new Set(found.map(({ session_id: id }) => id).filter((id) => engine.archive.damaged.has(id)));
    if (json) {
      await writeLines(context.stdout, sessionLines(found, engine, context, values.store, damaged));
      await writeLines(context.stdout, observed.map(observedLine));
    } else for (const row of rows(found, observed, damaged)) context.stdout.write(`${row}\n`);
    reportDamaged(engine, damaged, context);
    await engine.dispose();
    return 0;
  },
};

async function observedOf({ archive }: Engine, own: readonly SessionSummary[]): Promise<readonly ObservedSummary[]> {
  return archive.sources === undefined ? [] : withServerWaits(await observedSessions(archive.sources, own));
}

/** Rows of both kinds of sessions, newest first. */
export function rows(
  own: readonly SessionSummary[],
  observed: readonly ObservedSummary[],
  damaged: ReadonlySet<string>,
): readonly string[] {
  const all = [
    ...own.map((session) => ({
      at: session.updated_at,
      text: row(session, damaged.has(session.session_id) ? 'record damaged' : ''),
    })),
    ...observed.map((session) => ({
      at: session.updated_at,
      text: row(toSessionSummary(session), session.problem ?? entryPointText(session)),
    })),
  ];
  return all.sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).map(({ text }) => text);
}

function entryPointText({ entry_point: entryPoint }: ObservedSummary): string {
  return entryPoint === null ? 'other program' : entryPoint;
}

function row(summary: SessionSummary, mark: string): string {
  const { session_id, status, outcome, needs_you, total_cost: cost, updated_at, agent_label, title } = summary;
  const hasEnded = status === 'stopped' || status === 'finished';
  const how = needs_you !== undefined ? 'needs you' : hasEnded ? outcome : status;
  const about = cost.provenance === 'estimated' ? '~' : '';
  const money = cost.provenance === 'unknown' ? '-' : `${about}${englishNumbers.money(cost.usd)}`;
  const time = updated_at.slice(0, 16).replace('T', ' ');
  const marks = mark === '' ? [] : [mark];
  const cells = [session_id, how.padEnd(11), money.padStart(10), time, agent_label.padEnd(16), ...marks, title ?? ''];
  return visibleLine(cells.join('  ').trimEnd());
}
