import type { Session } from '../../model/session/session.ts';
import type { ChildLimits } from '../api.ts';
import type { Blueprint } from '../blueprints/load.ts';
import { failures, type EngineFailure } from '../failures/failures.ts';
import { worded, type Wording } from '../failures/wording.ts';

/** Maximum number of sessions whose limits are cached; for others, the agent's file is read. */
const maxKnown = 10_000;

interface LimitedSession {
  readonly session: Session;
  readonly limits: ChildLimits;
}

/**
 * Limits of the sessions that agents start. They hold for the whole tree, wherever its sessions run or wait: depth
 * counts from the top, each agent's number of children includes those that its children start, and the lowest limit
 * above applies.
 */
export class TreeLimits {
  readonly #blueprints: (folder: string) => Promise<readonly Blueprint[]>;
  /** Limits of sessions that have called, as of the start of their run. */
  readonly #limitsBySession = new Map<string, ChildLimits>();
  /** Parents of children that have started or wait, until lists have them. */
  readonly #pendingParents = new Map<string, string>();

  constructor(blueprints: (folder: string) => Promise<readonly Blueprint[]>) {
    this.#blueprints = blueprints;
  }

  addPendingChild(child: string, parent: string): void {
    this.#pendingParents.set(child, parent);
  }

  /** Which limit forbids one more child; `null`: none. */
  async findReachedLimit({ session, limits }: LimitedSession, all: readonly Session[]): Promise<EngineFailure | null> {
    this.#limitsBySession.set(session.session_id, limits);
    const [oldest] = this.#limitsBySession.keys();
    if (this.#limitsBySession.size > maxKnown && oldest !== undefined) this.#limitsBySession.delete(oldest);
    const [own = session, ...above] = withAncestors(session, all);
    const aboveLimits = await Promise.all(above.map((ancestor) => this.#limitsOf(ancestor)));
    const depth = Math.min(limits.depth, ...aboveLimits.map((limit) => limit.depth));
    if (above.length + 1 > depth) return overLimitFailure(worded`Nesting limit for child agents reached: ${depth}.`);
    const countBelow = this.#makeDescendantCounter(all);
    if (countBelow(own.session_id) >= limits.children) {
      return overLimitFailure(
        worded`This session has already started its maximum of ${limits.children} child sessions.`,
      );
    }
    for (const [index, { children }] of aboveLimits.entries()) {
      const { session_id: id, agent_name: name = '' } = above[index] ?? session;
      if (countBelow(id) >= children)
        return overLimitFailure(
          worded`Agent "${name}" already has its maximum of ${children} child sessions, including nested ones.`,
        );
    }
    return null;
  }

  /** How many sessions are below one, at any depth. */
  #makeDescendantCounter(all: readonly Session[]): (id: string) => number {
    const children = new Map<string, string[]>();
    const add = (parent: string, id: string): void => {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [id]);
      else known.push(id);
    };
    for (const { session_id: id, parent_session_id: parent } of all) {
      this.#pendingParents.delete(id);
      if (parent !== undefined) add(parent, id);
    }
    for (const [id, parent] of this.#pendingParents) add(parent, id);
    return (top) => {
      const found = new Set([top]);
      for (const id of found) for (const child of children.get(id) ?? []) found.add(child);
      return found.size - 1;
    };
  }

  async #limitsOf({ session_id, agent_name: name, project_dir = '' }: Session): Promise<ChildLimits> {
    const known = this.#limitsBySession.get(session_id);
    if (known !== undefined) return known;
    // A person can queue a child below a session without an agent file, which has no limit.
    const none = Number.POSITIVE_INFINITY;
    if (name === undefined) return { children: none, depth: none };
    const found = (await this.#blueprints(project_dir)).find((blueprint) => blueprint.name === name);
    const { max_children: children = none, max_depth: depth = 1 } = found?.agent?.limits ?? {};
    return { children, depth };
  }
}

/** The session and its ancestors, nearest first. Stops at a cycle, which an import can contain. */
export function withAncestors(session: Session, all: readonly Session[]): readonly Session[] {
  const byId = new Map(all.map((summary) => [summary.session_id, summary]));
  const chain: Session[] = [];
  for (let at: Session | undefined = session; at !== undefined && !chain.includes(at);) {
    chain.push(at);
    at = at.parent_session_id === undefined ? undefined : byId.get(at.parent_session_id);
  }
  return chain;
}

const overLimitFailure = (why: Wording): EngineFailure =>
  failures.childRefused(why, worded`The parent agent’s file sets this limit.`);
