import type { ExportedSession } from '../../src/pages/exported/exportedSession.ts';
import type { NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { isObject } from '../text/objects.ts';

type Head = Pick<ExportedSession, 'summary' | 'runs' | 'results' | 'figures' | 'version' | 'exportedAt'>;

/** The exported session, and after it its children. `omitted`: children that are not in the page. */
export interface ExportedSessions {
  readonly sessions: readonly [ExportedSession, ...ExportedSession[]];
  readonly omitted: number;
}

/** The sessions in the document's data blocks. @throws Error if a block is damaged */
export function readSessions(root: ParentNode): ExportedSessions {
  const found: { readonly head: Head; readonly entries: NormalizedEntry[] }[] = [];
  let masks: ExportedSession['masks'] = null;
  let omitted = 0;
  for (const block of root.querySelectorAll('script[type="application/json"]')) {
    const data: unknown = JSON.parse(block.textContent);
    const part = block.getAttribute('data-part');
    if (part === 'session' && isHead(data)) found.push({ head: data, entries: [] });
    // One by one: a call has a limit of arguments.
    if (part === 'entries' && Array.isArray(data))
      for (const entry of data.filter(isEntry)) found.at(-1)?.entries.push(entry);
    if (part === 'masks' && isMasks(data)) masks = data;
    if (part === 'omitted' && typeof data === 'number') omitted = data;
  }
  const [first, ...others] = found.map(({ head, entries }): ExportedSession => ({ ...head, entries, masks }));
  if (first === undefined) throw new Error('The page holds no session.');
  return { sessions: [first, ...others], omitted };
}

// The same version of Vitrine wrote the blocks and this script, so checking the kind is enough.
function isHead(value: unknown): value is Head {
  return isObject(value) && isObject(value['summary']) && Array.isArray(value['runs']);
}

function isEntry(value: unknown): value is NormalizedEntry {
  return isObject(value) && typeof value['index'] === 'number' && isObject(value['type']);
}

function isMasks(value: unknown): value is ExportedSession['masks'] {
  return isObject(value) && typeof value['total'] === 'number' && isObject(value['byRule']);
}
