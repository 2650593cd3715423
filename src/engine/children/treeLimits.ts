import type { Session } from '../../model/session/session.ts';
import type { ChildLimits } from '../api.ts';
import type { Blueprint } from '../blueprints/load.ts';
import { failures, type EngineFailure } from '../failures/failures.ts';
import { say } from '../failures/wording.ts';

/** Sessions whose limits are remembered; of others the file of the agent says them. */
const maxKnown = 10_000;

interface LimitedSession {
  readonly session: Session;
  readonly limits: ChildLimits;
}

/** Limits of the sessions that agents start. Depth counts from the top of the tree, and the lowest limit above applies. */
export class TreeLimits {
  readonly #blueprints: (folder: string) => Promise<readonly Blueprint[]>;
  /** `max_depth` of the sessions that have asked here, as their runs were started. */
  readonly #depths = new Map<string, number>();

  constructor(blueprints: (folder: string) => Promise<readonly Blueprint[]>) {
    this.#blueprints = blueprints;
  }

  /** Which limit forbids one more child; `null`: none. */
  async reached({ session, limits }: LimitedSession, all: readonly Session[]): Promise<EngineFailure | null> {
    this.#depths.set(session.session_id, limits.depth);
    const [oldest] = this.#depths.keys();
    if (this.#depths.size > maxKnown && oldest !== undefined) this.#depths.delete(oldest);
    const chain = ancestry(session, all);
    const depths = await Promise.all(chain.slice(1).map((above) => this.#depthOf(above)));
    const depth = Math.min(limits.depth, ...depths);
    if (chain.length > depth) return failures.childRefused(say`Nesting limit for child agents reached: ${depth}.`);
    const own = all.filter(({ parent_session_id: parent }) => parent === session.session_id);
    if (own.length < limits.children) return null;
    return failures.childRefused(
      say`This session has already started its maximum of ${limits.children} child sessions.`,
    );
  }

  async #depthOf({ session_id, agent_name: name, project_dir = '' }: Session): Promise<number> {
    const known = this.#depths.get(session_id);
    if (known !== undefined) return known;
    // A child that was queued by a person has a parent whose agent may have no file, and no limit.
    if (name === undefined) return Number.POSITIVE_INFINITY;
    const found = (await this.#blueprints(project_dir)).find((each) => each.name === name);
    return found?.agent?.limits.max_depth ?? 1;
  }
}

/** The session and those above it, which others may have made into a ring. */
export function ancestry(session: Session, all: readonly Session[]): readonly Session[] {
  const byId = new Map(all.map((each) => [each.session_id, each]));
  const chain: Session[] = [];
  for (let at: Session | undefined = session; at !== undefined && !chain.includes(at);) {
    chain.push(at);
    at = at.parent_session_id === undefined ? undefined : byId.get(at.parent_session_id);
  }
  return chain;
}
