/** Target of a link; without `entry`, the whole session. */
export interface SessionLink {
  readonly session: string;
  readonly entry?: number;
}

/** Such as `vscode://vitrine.vitrine/session/ses_0123456789ab#12`. `extension`: publisher and name. */
export function sessionLink(scheme: string, extension: string, { session, entry }: SessionLink): string {
  return `${scheme}://${extension}/session/${session}${entry === undefined ? '' : `#${entry}`}`;
}

/** `undefined` for anything else: links are untrusted input. */
export function parseSessionLink({ path, fragment }: { path: string; fragment: string }): SessionLink | undefined {
  const session = /^\/session\/(ses_[0-9a-f]{12})\/?$/.exec(path)?.[1];
  if (session === undefined) return undefined;
  if (fragment === '') return { session };
  return /^\d{1,9}$/.test(fragment) ? { session, entry: Number(fragment) } : undefined;
}
