/** What a link leads to; without `entry` the session as a whole. */
export interface SessionLink {
  readonly session: string;
  readonly entry?: number;
}

/** `vscode://vitrine.vitrine/session/ses_0123456789ab#12`. `scheme`: of this product; `extension`: publisher and name. */
export function sessionLink(scheme: string, extension: string, { session, entry }: SessionLink): string {
  return `${scheme}://${extension}/session/${session}${entry === undefined ? '' : `#${entry}`}`;
}

/** `undefined` for anything else: a link comes from outside. */
export function parseSessionLink({ path, fragment }: { path: string; fragment: string }): SessionLink | undefined {
  const session = /^\/session\/(ses_[0-9a-f]{12})\/?$/.exec(path)?.[1];
  if (session === undefined) return undefined;
  if (fragment === '') return { session };
  return /^\d{1,9}$/.test(fragment) ? { session, entry: Number(fragment) } : undefined;
}
