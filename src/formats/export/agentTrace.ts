import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { uuidOf } from './shared/ids.ts';
import type { LineRange } from './shared/lineRanges.ts';
import { modelId } from './otlp/provider.ts';
import type { Exporter, ExportSource } from './shared/source.ts';
import { fileChanges, TracedFile } from './shared/tracedFile.ts';

/** One Agent Trace record: the lines that the agent wrote, as of the end of the session. */
export const agentTrace: Exporter = {
  async *write(source, { version, sha256 }) {
    const { summary } = source;
    const { files, outside } = await traceFiles(source);
    const record = {
      version: '0.1',
      id: uuidOf(sha256(`agent-trace ${summary.session_id} ${summary.updated_at}`)),
      timestamp: new Date(Date.parse(summary.updated_at) || Date.parse(summary.created_at) || 0).toISOString(),
      tool: { name: 'vitrine', version },
      files: [...files].flatMap(([path, file]) => {
        const conversations = conversationsOf(file.ranges);
        return conversations.length === 0 ? [] : [{ path, conversations }];
      }),
      metadata: {
        'vitrine.session_id': summary.session_id,
        'vitrine.executor_type': summary.executor_type,
        'vitrine.unplaced': Object.fromEntries(
          [...files].flatMap(([path, { unplacedEdits }]) => (unplacedEdits === 0 ? [] : [[path, unplacedEdits]])),
        ),
        'vitrine.outside': outside,
      },
    };
    yield `${JSON.stringify(record, null, 2)}\n`;
  },
};

async function traceFiles({
  summary,
  entries,
}: ExportSource): Promise<{ files: Map<string, TracedFile>; outside: number }> {
  const files = new Map<string, TracedFile>();
  let outside = 0;
  for await (const entry of entries()) {
    if (entry.type.kind !== 'tool_use') continue;
    for (const change of fileChanges(entry.type.tool)) {
      const path = relative(change.path, summary.project_dir);
      if (path === null) {
        outside += 1;
        continue;
      }
      const file = files.get(path) ?? new TracedFile();
      files.set(path, file);
      const by = modelOf(entry) ?? summary.model ?? '';
      if (change.kind === 'delete') file.remove();
      else if (change.kind === 'add' && change.patch === undefined && change.newText !== undefined)
        file.write(change.newText, by);
      else file.edit(change, by);
    }
  }
  return { files, outside };
}

function modelOf({ metadata }: NormalizedEntry): string | undefined {
  return metadata?.model ?? undefined;
}

/** One conversation per model. */
function conversationsOf(ranges: readonly LineRange[]): object[] {
  return [...new Set(ranges.map(({ by }) => by))].map((by) => ({
    contributor: { type: 'ai', ...(by !== '' && { model_id: modelId(by).slice(0, 250) }) },
    ranges: ranges.flatMap((range) => (range.by === by ? [{ start_line: range.start, end_line: range.end }] : [])),
  }));
}

/** Path relative to the project folder, with slashes; `null` outside it. */
export function relative(path: string, folder: string | undefined): string | null {
  const plain = path.replaceAll('\\', '/').replace(/^\.\//, '');
  const isAbsolute = plain.startsWith('/') || /^[a-z]:\//i.test(plain);
  const base = folder?.replaceAll('\\', '/').replace(/\/+$/, '');
  const relativePath = !isAbsolute
    ? plain
    : base !== undefined && plain.startsWith(`${base}/`)
      ? plain.slice(base.length + 1)
      : null;
  return relativePath === null || relativePath === '' || relativePath.split('/').includes('..') ? null : relativePath;
}
