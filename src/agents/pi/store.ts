import { nonEmpty, field } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { StoreFormat } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { RecordParser } from '../stores/storeSession.ts';
import { PiReader } from './reader.ts';

/**
 * The sessions of Pi: `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`, a tree of entries in one file. Source:
 * `docs/session-format.md` of the package `@mariozechner/pi-coding-agent` 0.73.1.
 */
export const piStore: StoreFormat = {
  agent: 'pi',
  label: 'Pi',
  roots: storeRoots.pi,
  place: (path) => (/^[^/]+\/[^/]+\.jsonl$/.test(path) ? 'head' : undefined),
  look: (_, [header = '']) => {
    const value = parse(header);
    const id = nonEmpty(field(value, 'id'));
    return field(value, 'type') === 'session' && id !== undefined ? { role: 'main', session: id } : undefined;
  },
  createParser: (options) => new RecordParser(options, (session) => new PiReader(session)),
  resume: (nativeId) => ({ program: 'pi', args: ['--session', nativeId] }),
};
