import { type Cost, totalTokens } from '../../../model/usage/usage.ts';
import { englishNumbers } from '../../../text/numberFormat.ts';
import type { ExportSource } from './source.ts';

/** Key facts of a session for the head of a document. */
export function factsOf({ summary, runs }: ExportSource): [string, string][] {
  const { agent_label, agent_version, model, project_dir, hostname, outcome, total_usage, session_id } = summary;
  const tokens = totalTokens(total_usage);
  const rows: [string, string | null | undefined][] = [
    ['Agent', [agent_label, agent_version].filter((part) => part !== null).join(' ')],
    ['Model', model],
    ['Started', summary.created_at],
    ['Last change', summary.updated_at],
    ['Outcome', summary.reason === undefined ? outcome : `${outcome}: ${summary.reason}`],
    ['Turns', turnsText(runs)],
    ['Cost', costText(summary.total_cost)],
    ['Tokens', Object.keys(total_usage).length === 0 ? null : englishNumbers.count(tokens)],
    ['Folder', project_dir],
    ['Machine', hostname],
    ['Permissions', summary.permission_mode],
    ['Recording', summary.recording ? 'played from a recording' : null],
    ['Session', session_id],
  ];
  return rows.flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, value]],
  );
}

function turnsText(runs: ExportSource['runs']): string {
  const marked = runs.filter(({ synthetic }) => synthetic === true);
  const callbacks = marked.filter(({ prompt_origin: by }) => by === 'callback').length;
  const followUps = marked.length - callbacks;
  return [
    String(runs.length - marked.length),
    ...(followUps === 0 ? [] : [`and ${followUps} by follow-up`]),
    ...(callbacks === 0 ? [] : [`and ${callbacks} by callback`]),
  ].join(', ');
}

/** An unknown cost is named, never shown as 0. */
export function costText(cost: Cost | undefined): string {
  if (cost === undefined || cost.provenance === 'unknown') return 'cost unknown';
  const usd = englishNumbers.money(cost.usd);
  return cost.provenance === 'reported' ? usd : `about ${usd} (${cost.priceTable.name} ${cost.priceTable.date})`;
}

export function durationText(ms: number | null): string {
  return ms === null ? '' : englishNumbers.duration(ms);
}
