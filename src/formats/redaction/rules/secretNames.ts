/** Names of secrets in texts: words joined by `_`, `-`, or nothing. Part of a case-insensitive pattern. */
export const named = String.raw`(?:(?<=[a-z_-])(?<!public[_-]?|websocket-)key|token|secret|credentials?|passw(?:or)?d|passphrase|(?<![a-z])(?:pw|pass)|_pwd)`;

/** Each such name contains one of these. */
export const nameWords = ['key', 'token', 'secret', 'passw', 'passphrase', '_pwd', 'credential', 'pw', 'pass'];

/** Reliability of a name: a value under `alwaysSecret` is a secret in any case, under `random` only if it looks random. */
export type SecretName = 'always' | 'random' | undefined;

const alwaysSecret =
  /(?:apikey|apitoken|secretkey|secretaccesskey|privatekey|signingkey|encryptionkey|accesstoken|authtoken|refreshtoken|sessiontoken|securitytoken|bearertoken|bottoken|idtoken|clientsecret|password|passwd|passphrase|(?<!old)(?<=.)pwd|secret|connectionstring|^(?:proxy)?authorization|^(?:set)?cookie)$/;
const random = /(?:token|accesskey|accountkey|credentials?)$/;

/** Kind of a field's, variable's or option's name, in any naming style. */
export function secretName(name: string): SecretName {
  if (name.length > 60) return undefined;
  const plain = name
    .toLowerCase()
    .replaceAll(/[\s_.-]/g, '')
    .replace(/(?:pem|s?\d{0,3})$/, '');
  return alwaysSecret.test(plain) ? 'always' : random.test(plain) ? 'random' : undefined;
}
