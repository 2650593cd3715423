import type { ExportedSession } from '../../src/pages/exported/exportedSession.ts';
import type { NormalizedEntry } from '../../src/model/transcript/entry.ts';
import { isObject } from '../text/objects.ts';

type Head = Pick<ExportedSession, 'summary' | 'runs' | 'results' | 'figures' | 'version' | 'exportedAt'>;

/** The session in the document's data blocks. @throws Error if a block is damaged */
export function readSession(root: ParentNode): ExportedSession {
  const blocks = [...root.querySelectorAll('script[type="application/json"]')];
  const data = (part: string): unknown[] =>
    blocks
      .filter((block) => block.getAttribute('data-part') === part)
      .map((block): unknown => JSON.parse(block.textContent));
  const [[head], [masks]] = [data('session'), data('masks')];
  const entries = data('entries').flatMap((block) => (Array.isArray(block) ? block.filter(isEntry) : []));
  if (!isHead(head)) throw new Error('The page holds no session.');
  return { ...head, entries, masks: isMasks(masks) ? masks : null };
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
