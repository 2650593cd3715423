import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { type Answer, requestMetadataSchema } from '../../model/agent/request.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ToolUse } from '../../model/transcript/tool.ts';
import { englishNumbers } from '../../text/numberFormat.ts';
import type { ExportSource } from '../export/shared/source.ts';
import { toolInput } from '../export/shared/toolFields.ts';
import type { LineOf, RecordedRun } from '../record.ts';

/** One row of an audit. Times are ISO 8601; `entry` is an index of the session's transcript. */
export interface AuditRow {
  readonly at: string;
  readonly session_id: string;
  readonly run_id: string | null;
  readonly agent: string;
  readonly host: string | null;
  readonly kind:
    | 'record'
    | 'run_start'
    | 'run_end'
    | 'file_read'
    | 'file_write'
    | 'file_edit'
    | 'file_delete'
    | 'command'
    | 'web'
    | 'tool'
    | 'permission'
    | 'decision'
    | 'deletion';
  /** The prompt, path, complete command, address, tool or type of decision. */
  readonly subject: string;
  readonly status: string | null;
  readonly detail: string | null;
  readonly entry: number | null;
}

export interface AuditSource extends ExportSource {
  readonly decisions: () => AsyncIterable<LineOf<'decision'>['decision']>;
}

type CommonFields = Pick<AuditRow, 'session_id' | 'agent' | 'host'>;

/** Decisions about technical details of a run, which are not listed. */
const internal: ReadonlySet<string> = new Set(['attempt', 'output_order', 'message_queue']);

/** Runs, files, commands and decisions in record order; equal times are sorted by kind. */
export async function* auditRows({
  summary,
  runs,
  results,
  entries,
  decisions,
}: AuditSource): AsyncGenerator<AuditRow> {
  const common = commonFieldsOf(summary);
  for (const run of runs)
    yield* runRows(run, results.findLast(({ runId }) => runId === run.run_id)?.metadata.costProvenance, common);
  for await (const entry of entries()) {
    const run = runs.findLast(({ first_index }) => entry.index >= first_index)?.run_id ?? null;
    for (const row of entryRows(entry)) yield { ...common, run_id: run, entry: entry.index, ...row };
  }
  // The masking key stays in the record: together with the export, it would allow guessing masked secrets.
  for await (const { type, at, ...rest } of decisions()) {
    if (internal.has(type)) continue;
    const run = typeof rest['run_id'] === 'string' ? rest['run_id'] : null;
    yield {
      ...common,
      at,
      run_id: run,
      kind: 'decision',
      subject: type,
      status: null,
      detail: JSON.stringify(type === 'export' ? { ...rest, key: undefined } : rest),
      entry: null,
    };
  }
}

function commonFieldsOf({ session_id, agent_label, agent_version, hostname }: SessionSummary): CommonFields {
  const agent = agent_version === null ? agent_label : `${agent_label} ${agent_version}`;
  return { session_id, agent, host: hostname ?? null };
}

function runRows(
  run: RecordedRun,
  cost: { readonly provenance: string; readonly usd?: number } | undefined,
  common: CommonFields,
): AuditRow[] {
  const base = { ...common, run_id: run.run_id, entry: run.first_index };
  const began = run.started_at ?? run.created_at;
  const start: AuditRow = {
    ...base,
    at: began,
    kind: 'run_start',
    subject: run.prompt,
    status: run.type,
    detail: run.project_dir ?? null,
  };
  if (run.completed_at === undefined) return [start];
  const money = cost?.usd === undefined ? 'cost unknown' : `${englishNumbers.money(cost.usd)} (${cost.provenance})`;
  const end: AuditRow = {
    ...base,
    at: run.completed_at,
    kind: 'run_end',
    subject: run.error ?? run.status,
    status: run.status,
    detail: money,
    entry: run.end_index ?? null,
  };
  return [start, end];
}

type EntryRow = Omit<AuditRow, keyof CommonFields | 'run_id' | 'entry'>;

function entryRows(entry: NormalizedEntry): EntryRow[] {
  const { type, timestamp, metadata } = entry;
  if (type.kind === 'tool_use') return toolRows(type.tool, type.tool.startedAt ?? timestamp);
  if (type.kind !== 'system_message' || metadata === undefined) return [];
  const asked = requestMetadataSchema.safeParse(metadata);
  if (!asked.success) return [];
  const { request, decision } = asked.data;
  const { action } = request;
  const subject = action?.kind === 'command_run' ? action.command : request.title;
  const answer = decision?.answer;
  return [
    {
      at: decision?.at ?? request.asked_at,
      kind: 'permission',
      subject,
      status: answer === undefined ? 'waiting' : answer.kind === 'allow' ? allowedStatus(answer) : answer.kind,
      detail: decision === undefined ? null : `by ${decision.by}`,
    },
  ];
}

function allowedStatus({ scope, edited }: Extract<Answer, { kind: 'allow' }>): string {
  return `allow ${scope}${edited === undefined ? '' : ', edited'}`;
}

function toolRows(tool: ToolUse, at: string): EntryRow[] {
  const { action, status, toolName } = tool;
  const row = (kind: AuditRow['kind'], subject: string, detail: string | null = null): EntryRow => ({
    at,
    kind,
    subject,
    status,
    detail,
  });
  switch (action.kind) {
    case 'file_read':
      return [row('file_read', action.path)];
    case 'file_write':
      return [row('file_write', action.path)];
    case 'file_edit':
      return action.changes.map(({ path, kind, added, removed }) => {
        const lines = added === undefined && removed === undefined ? null : `+${added ?? 0} -${removed ?? 0}`;
        return row(kind === 'delete' ? 'file_delete' : kind === 'add' ? 'file_write' : 'file_edit', path, lines);
      });
    case 'command_run':
      return [
        row(
          'command',
          action.command,
          [exitText(action.exitCode), action.cwd].filter((part) => part !== undefined).join(', ') || null,
        ),
      ];
    case 'web_fetch':
      return [row('web', action.url)];
    case 'web_search':
      return [row('web', action.query, 'search')];
    case 'mcp':
      return [row('tool', `${action.server} ${action.tool}`, JSON.stringify(toolInput(tool)))];
    case 'search':
    case 'todo':
    case 'task':
    case 'tool':
      return [row('tool', toolName, JSON.stringify(toolInput(tool)))];
  }
}

function exitText(code: number | null | undefined): string | undefined {
  return code === null || code === undefined ? undefined : `exit code ${code}`;
}
