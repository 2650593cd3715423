import type { SessionSummary } from '../../model/summary.ts';
import { parseOptions } from '../args.ts';
import type { Command } from '../command.ts';
import { createEngine, storeHelp } from '../engine.ts';
import { writeLines } from '../output.ts';

const help = `Usage: vitrine sessions [options]

Lists sessions, newest first: id, how it stands, cost so far, last change, agent, title. Agents that a crash left behind are
ended first.

  --json             one session per line as JSON
  --all              hidden ones, too
${storeHelp}`;

export const sessions: Command = {
  help,
  async run(args, context) {
    const options = { store: { type: 'string' }, json: { type: 'boolean' }, all: { type: 'boolean' } } as const;
    const { values } = parseOptions('sessions', { args: [...args], options });
    const engine = createEngine(context, { store: values.store });
    await engine.sweep();
    const found = (await engine.list()).filter((summary) => values.all === true || summary.hidden !== true);
    if (values.json === true) await writeLines(context.stdout, found);
    else for (const summary of found) context.stdout.write(`${row(summary)}\n`);
    await engine.dispose();
    return 0;
  },
};

function row(summary: SessionSummary): string {
  const { session_id, status, outcome, total_cost: cost, updated_at, agent_label, title } = summary;
  const how = status === 'stopped' || status === 'finished' ? outcome : status;
  const about = cost.provenance === 'estimated' ? '~' : '';
  const money = cost.provenance === 'unknown' ? '-' : `${about}$${cost.usd.toFixed(4)}`;
  const when = updated_at.slice(0, 16).replace('T', ' ');
  return [session_id, how.padEnd(11), money.padStart(10), when, agent_label.padEnd(16), title ?? '']
    .join('  ')
    .trimEnd();
}
