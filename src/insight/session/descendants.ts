interface Related {
  readonly session_id: string;
  readonly parent_session_id?: string | undefined;
}

/** Child sessions, their children, and so on; each once, even if records contain a cycle. */
export function descendantsOf<T extends Related>(all: Iterable<T>, id: string): T[] {
  return createDescendantsFinder(all)(id);
}

/** The same for many sessions, reading `all` once. */
export function createDescendantsFinder<T extends Related>(all: Iterable<T>): (id: string) => T[] {
  const children = new Map<string, T[]>();
  for (const session of all) {
    if (session.parent_session_id === undefined) continue;
    const known = children.get(session.parent_session_id);
    if (known === undefined) children.set(session.parent_session_id, [session]);
    else known.push(session);
  }
  return (id) => {
    const seen = new Set([id]);
    const found: T[] = [];
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const child of children.get(next) ?? []) {
        if (seen.has(child.session_id)) continue;
        seen.add(child.session_id);
        found.push(child);
        open.push(child.session_id);
      }
    }
    return found;
  };
}
