import { createHash } from 'node:crypto';
import type { Agent } from '../../model/agent.ts';
import type { Session } from '../../model/session.ts';
import type { Blueprint } from '../blueprints/load.ts';
import { failures } from '../failures.ts';
import { say } from '../wording.ts';

const mostSessions = 1000;

/** Hashes of agents by their names. */
type Seen = ReadonlyMap<string, string>;

/**
 * Agents as their files were when a person last spoke to a session, or to the one above that started it. An agent that may
 * write in its folder could write another's file, and have programs that it names started without anybody being asked.
 */
export class SeenAgents {
  readonly #load: (folder: string) => Promise<readonly Blueprint[]>;
  readonly #bySession = new Map<string, Promise<Seen>>();

  constructor(load: (folder: string) => Promise<readonly Blueprint[]>) {
    this.#load = load;
  }

  /** A run of the session is about to begin. */
  async see(
    { session_id: id, parent_session_id: parent = '', project_dir: dir = '' }: Session,
    byPerson: boolean,
  ): Promise<void> {
    const before = byPerson ? undefined : (this.#bySession.get(id) ?? this.#bySession.get(parent));
    const seen = before ?? this.#load(dir).then(hashes);
    this.#bySession.delete(id);
    this.#bySession.set(id, seen);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > mostSessions && oldest !== undefined) this.#bySession.delete(oldest);
    await seen;
  }

  /** @throws EngineFailure for an agent that the session's people have not seen as it is */
  async check({ session_id: id }: Session, name: string, agent: Agent): Promise<void> {
    const seen = await this.#bySession.get(id);
    if (seen?.get(name) === hashOf(agent)) return;
    throw failures.childRefused(
      say`The file of the agent "${name}" was written or changed since a person last spoke to this session. A person has to start it, or to go on with this session.`,
    );
  }
}

function hashes(found: readonly Blueprint[]): Seen {
  return new Map(found.flatMap(({ name, agent }) => (agent === null ? [] : [[name, hashOf(agent)]])));
}

function hashOf(agent: Agent): string {
  return createHash('sha256').update(JSON.stringify(agent)).digest('hex');
}
