import { printableBase64 } from './base64.ts';
import { isPlaceholder, looksLikePassword, looksRandom } from './entropy.ts';
import type { SecretRule } from './rule.ts';

const isGiven = (secret: string): boolean => !isPlaceholder(secret);
/** A quoted value, as in JSON, up to the same quote, which may be escaped. */
const quoted = String.raw`(?:(?<=")[^"\\\n]{4,200}(?=\\{0,3}")|(?<=')[^'\\\n]{4,200}(?=\\{0,3}'))`;

/** Places where users write passwords, which need not look random. */
export const passwordRules: readonly SecretRule[] = [
  {
    id: 'url-password',
    requiredWords: ['://', ':\\/\\/'],
    pattern:
      /(?<before>(?:(?<![a-z0-9])|(?<=\[[\d;]{0,9}m|\\[nrt]))[a-z][a-z0-9+.-]{1,30}:(?:\\{0,3}\/){2}[^\s:/@"'`<>\\]{0,100}:)[^\s/"'`<>\\]{4,200}(?=@[\w[$%{])/gi,
    accept: isGiven,
  },
  {
    id: 'url-password',
    requiredWords: ['%3a%2f%2f'],
    ignoreCase: true,
    pattern: /(?<before>%3A%2F%2F[^\s%]{0,100}%3A)[^\s/]{5,200}?(?=%40)/gi,
    accept: isGiven,
  },
  {
    id: 'basic-auth',
    requiredWords: ['basic '],
    ignoreCase: true,
    pattern: /(?<before>(?<![a-z])basic )[A-Za-z0-9+/]{8,4000}={0,2}/gi,
    accept: isBasicAuth,
  },
  {
    id: 'curl-password',
    requiredWords: ['curl'],
    pattern: /(?<before>\bcurl\b[^\n]{0,300}?\s(?:-u[ =]?|--user[ =])["']?[^\s:"']{1,60}:)[^\s"']{4,200}/g,
    accept: isGiven,
  },
  {
    id: 'program-password',
    requiredWords: ['sshpass', 'mysql', 'mariadb'],
    pattern:
      /(?<before>\bsshpass\s{1,3}-p\s{0,3}["']?|\b(?:mysql|mariadb)[\w-]{0,9}\s[^\n]{0,200}?(?<=\s)-p["']?)[^\s"']{4,200}/g,
    accept: isGiven,
  },
  {
    id: 'program-password',
    requiredWords: ['redis-cli', '--passw', '--requirepass'],
    pattern:
      /(?<before>\bredis-cli\s[^\n]{0,200}?(?<=\s)-a\s{1,3}["']?|--(?:[a-z]{1,20}-)?(?:password|passwd|requirepass)[ =]["']?)[^\s"']{6,200}/g,
    accept: looksLikePassword,
  },
  {
    id: 'netrc-password',
    requiredWords: ['password'],
    pattern: /(?<before>\b(?:machine|login|account)\s{1,9}\S{1,100}\s{1,9}password\s{1,9})\S{4,200}/g,
    accept: looksLikePassword,
  },
  {
    id: 'connection-password',
    requiredWords: ['Password=', 'PASSWORD=', 'Pwd=', 'PWD='],
    pattern: /(?<before>[;"'`]\s?(?:Password|PASSWORD|Pwd|PWD)=)[^;"'`\s<>(){}[\]$]{3,200}(?=[;"'`\\\s]|$)/g,
    accept: isGiven,
  },
  {
    id: 'connection-password',
    requiredWords: ['password', 'pwd'],
    ignoreCase: true,
    pattern: /(?<before>[;"'`\s](?:password|pwd) ?= ?)[^;"'`\s<>(){}[\]$,]{6,200}(?=[;"'`\\\s]|$)/gi,
    accept: looksLikePassword,
  },
  {
    id: 'assigned-secret',
    requiredWords: ['PASS', 'PWD'],
    pattern:
      /(?<before>(?<![A-Z0-9_$])[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD)=\\{0,3}["']?)[^\s"'`$\\<>(){}[\];,]{6,200}/g,
    accept: isGiven,
  },
  {
    id: 'told-secret',
    requiredWords: [' is', ' was', ' to'],
    ignoreCase: true,
    pattern:
      /(?<before>\b(?:password|passphrase|passcode|pwd|token|secret|credential|(?:api|access|secret|private)[ _-]?key)s? (?:is|was|to):?\s{1,3}["'`]?)[\w.~+/=!@#$%^&*-]{6,400}/gi,
    accept: (secret) => isNotWord(secret.replace(/[.!]$/, '')),
  },
  {
    id: 'assigned-secret',
    requiredWords: ['KEY=', 'TOKEN=', 'SECRET='],
    pattern:
      /(?<before>(?<![A-Z0-9_$])[A-Z0-9_]{0,40}(?:_KEY|TOKEN|SECRET)=\\{0,3}["']?)[A-Za-z0-9+/=_-]{12,400}(?![\w.+/=([-])/g,
    accept: (secret) => isGiven(secret) && /[a-z]/.test(secret) && /[A-Z\d]/.test(secret),
  },
  {
    id: 'assigned-secret',
    requiredWords: ['pass'],
    ignoreCase: true,
    pattern: new RegExp(
      String.raw`(?<before>["'][\w-]{0,30}(?:passw(?:or)?d|passphrase|passcode|_pass)\\{0,3}["']\s{0,3}(?::|=>)\s{0,3}\\{0,3}["'])${quoted}`,
      'gi',
    ),
    accept: isQuoted,
  },
  {
    id: 'assigned-secret',
    requiredWords: ['passw', 'passphrase', '_pwd'],
    ignoreCase: true,
    pattern:
      /(?<before>(?:passw(?:or)?d|passphrase|_pwd)(?:\\{0,3}["'])?\s{0,3}(?:=>|:=|[:=])\s{0,3}(?:\\{0,3}["'])?)[\w.~+/=!@#$%^&*-]{6,64}(?![\w.~+/=!@#$%^&*(-])/gi,
    accept: looksLikePassword,
  },
];

/** Excludes descriptions (sentences), types (words) and version numbers. */
function isQuoted(secret: string): boolean {
  if (
    isPlaceholder(secret) ||
    /^(?:string|text|number|boolean|object|required|str|[~^]?\d+\.[\d.]+)$|[^ -~]/i.test(secret)
  ) {
    return false;
  }
  return !/\s/.test(secret) || looksLikePassword(secret) || looksRandom(secret);
}

/** Within a sentence: anything but a word. */
function isNotWord(text: string): boolean {
  return text.length < 12
    ? looksLikePassword(text) && /\d/.test(text) && /[a-z]/i.test(text)
    : looksRandom(text) || looksLikePassword(text);
}

/** `user:password` in base64. */
function isBasicAuth(secret: string): boolean {
  return /^[ -~]{1,200}:[ -~]{3,}$/.test(printableBase64(secret.slice(0, 400)));
}
