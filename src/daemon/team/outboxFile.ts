import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { sessionIdSchema } from '../../model/session/session.ts';
import { shareSchema } from '../../model/session/share.ts';
import { firstHead } from '../../team/records/maskedLines.ts';

/** What is shared of one session, and how much of it the team's database has. */
const outboxStateSchema = z.object({
  share: shareSchema,
  /** Who decided: a person for this session, the setting of its folder, or the queue of the team. */
  by: z.enum(['person', 'folder', 'run']),
  /** Executed for a team member, who can always read it. */
  forRun: z.boolean(),
  /** Intact lines of the local record that the database has, and where the next one begins. */
  lines: z.int().nonnegative(),
  offset: z.int().nonnegative(),
  /** SHA-256 of the last line that the database has. */
  head: z.string(),
  /** `head` when this machine last signed it; `null`: never. */
  signed: z.string().nullable().default(null),
  /** Names the summary that the database has; `null`: none. */
  sent: z.string().nullable(),
  /** The database still has a copy that has to go. */
  remove: z.enum(['withdrawn', 'deleted']).nullable(),
  /** It was withdrawn before and is shared again. */
  again: z.boolean(),
  /** Why the database refuses it; nothing is sent until that changes. */
  refused: z.string().nullable(),
});
export type OutboxState = z.infer<typeof outboxStateSchema>;

export const newState: OutboxState = {
  share: 'nothing',
  by: 'person',
  forRun: false,
  lines: 0,
  offset: 0,
  head: firstHead,
  signed: null,
  sent: null,
  remove: null,
  again: false,
  refused: null,
};

/** One small file per shared session. The lines themselves stay in the record until they are sent. */
export class OutboxFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(id: string): Promise<OutboxState | null> {
    try {
      return outboxStateSchema.safeParse(JSON.parse(await readFile(this.#fileOf(id), 'utf8'))).data ?? null;
    } catch {
      return null;
    }
  }

  /** @throws file system errors */
  async write(id: string, state: OutboxState): Promise<void> {
    const file = this.#fileOf(id);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  async remove(id: string): Promise<void> {
    await rm(this.#fileOf(id), { force: true });
  }

  /** Ids of the sessions that have a state. */
  async ids(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.flatMap((name) => {
      const { data } = sessionIdSchema.safeParse(name.replace(/\.json$/, ''));
      return data !== undefined && name.endsWith('.json') ? [data] : [];
    });
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${sessionIdSchema.parse(id)}.json`);
  }
}
