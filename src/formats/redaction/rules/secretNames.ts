/**
 * Names that say that a value is a secret, as they stand in texts: words joined by `_`, `-`, or nothing. Part of a pattern
 * that ignores case.
 */
export const named = String.raw`(?:(?<=[a-z_-])(?<!public[_-]?|websocket-)key|token|secret|credentials?|passw(?:or)?d|passphrase|(?<![a-z])(?:pw|pass)|_pwd)`;

/** One of these is in every such name. */
export const nameHints = ['key', 'token', 'secret', 'passw', 'passphrase', '_pwd', 'credential', 'pw', 'pass'];

/** How sure a name is: what stands under `always` is a secret whatever it looks like, under `random` if it looks made. */
export type SecretName = 'always' | 'random' | undefined;

const always =
  /(?:apikey|apitoken|secretkey|secretaccesskey|privatekey|signingkey|encryptionkey|accesstoken|authtoken|refreshtoken|sessiontoken|securitytoken|bearertoken|bottoken|idtoken|clientsecret|password|passwd|passphrase|(?<!old)(?<=.)pwd|secret|connectionstring|^(?:proxy)?authorization|^(?:set)?cookie)$/;
const random = /(?:token|accesskey|accountkey|credentials?)$/;

/** Of a field, a variable or an option, in any of their styles. */
export function secretName(name: string): SecretName {
  if (name.length > 60) return undefined;
  const plain = name
    .toLowerCase()
    .replaceAll(/[\s_.-]/g, '')
    .replace(/(?:pem|s?\d{0,3})$/, '');
  return always.test(plain) ? 'always' : random.test(plain) ? 'random' : undefined;
}
