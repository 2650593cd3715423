import type { Engine } from '../../engine/engine.ts';
import type { RecallResult } from '../../engine/recall/types.ts';
import { folderFilter } from '../../engine/recall/recall.ts';
import { sourceText } from '../../insight/recall/querySource.ts';
import type { CliContext } from '../command.ts';
import { counted } from '../print/counted.ts';

interface RecallArguments {
  readonly prompt: string;
  readonly cwd: string;
  /** Session to resume. Its folder is searched, but not its own text. */
  readonly resume: string | undefined;
}

/** Context from the folder's earlier sessions. Prints query and number of passages. @throws EngineFailure */
export async function recallFor(engine: Engine, context: CliContext, args: RecallArguments): Promise<RecallResult> {
  const { prompt, resume } = args;
  const found = await engine.archive.recall.find({
    ...(resume !== undefined && { session: resume }),
    message: { text: prompt, origin: 'human' },
    within: folderFilter(await folderOf(engine, args), resume),
  });
  context.stderr.write(`vitrine: ${recalledText(found)}\n`);
  return found;
}

async function folderOf(engine: Engine, { cwd, resume }: RecallArguments): Promise<string> {
  if (resume === undefined) return cwd;
  const handle = await engine.open(resume);
  const { project_dir: folder = cwd } = handle.summary();
  handle.dispose();
  return folder;
}

function recalledText({ source, passages, sessions }: RecallResult): string {
  if (source === null) return 'Earlier sessions were not searched, because the prompt has no search terms.';
  const by = `with ${sourceText(source)} (${source})`;
  if (passages.length === 0) return `No matches in ${counted(sessions, 'earlier session')} ${by}.`;
  const from = new Set(passages.map(({ sessionId }) => sessionId)).size;
  return `Context added: ${counted(passages.length, 'passage')} from ${counted(from, 'earlier session')}, found ${by}.`;
}
