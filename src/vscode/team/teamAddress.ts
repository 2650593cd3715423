/** Why an address cannot be used. */
export type AddressProblem = 'not_postgres' | 'password' | 'no_database';

export interface TypedAddress {
  /** As typed, with the user if it names one. */
  readonly url: URL;
  readonly user: string;
  /** How the server will be reached. */
  readonly security: 'verified' | 'same_machine' | 'unencrypted';
}

/** What a person typed as the address of a team's database. The daemon checks it again. */
export function parseTyped(text: string): TypedAddress | AddressProblem {
  const url = URL.parse(text.trim());
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol) || url.hostname === '')
    return 'not_postgres';
  if (url.password !== '' || url.searchParams.has('password')) return 'password';
  if (url.pathname.length < 2) return 'no_database';
  return { url, user: decodeURIComponent(url.username), security: securityOf(url) };
}

/** The address with this user. */
export function withUser({ url }: TypedAddress, user: string): string {
  const changed = new URL(url);
  changed.username = user;
  return changed.toString();
}

function securityOf({ hostname, searchParams }: URL): TypedAddress['security'] {
  const mode = searchParams.get('sslmode');
  if (mode === 'disable') return 'unencrypted';
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
  return isLoopback && mode === null ? 'same_machine' : 'verified';
}
