import { entropy, isPlaceholder, looksRandom } from './entropy.ts';
import type { SecretRule } from './rule.ts';
import { named, nameWords } from './secretNames.ts';

const color = String.raw`(?:\x1b\[[\d;]{0,12}m){0,3}`;
/** Spaces of aligned columns, or the next line. */
const gap = String.raw`(?:[ \t]{0,40}|\s{0,3})`;
/** Between a name and its value: quotes (possibly escaped), terminal colors, assignment operators. */
const quote = String.raw`(?:\\{0,7}["'\x60]|&quot;|&#3[49];|%22|%27)?`;
const assigns = String.raw`${color}${quote}${color}${gap}(?:=>|:=|[:=]|%3A|%3D)${color}${gap}${color}\(?${quote}`;
/** Name and value as table cells or call arguments, or a quoted value after the name in a sentence. */
const beside = String.raw`(?:[\x60*]{0,2}[ \t]{0,40}\|[ \t]{0,9}[\x60*]{0,2}|\\{0,3}["'],\s{0,9}\\{0,3}["']|:? (?:\\{0,3}["']|\x60))`;
/** A name as in program options and Dockerfiles. */
const spaced = String.raw`(?:--[\w-]{0,30}${named}|\bENV[ \t]{1,4}\w{0,40}${named})[ \t]{1,4}(?:\\{0,3}["'])?`;
/** A pair of fields or attributes with a variable's name and value. */
const paired = String.raw`(?:name|key)\\{0,3}["']?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?\w{0,40}${named}(?:\\{0,3}["'])?,?\s{1,60}(?:\\{0,3}["'])?value${assigns}`;
const tagged = String.raw`<\w{0,30}${named}>`;
/** A quoted value ends at the quote; an unquoted one has no spaces, commas or brackets. */
const value = String.raw`(?:(?<=["'\x60])[^"'\x60\\\s]{12,4000}|[\w.~+/=!@#$%^&*-]{12,4000})`;

/** Values with a telling name that look random. */
export const assignmentRules: readonly SecretRule[] = [
  {
    id: 'aws-secret-key',
    requiredWords: ['secret'],
    ignoreCase: true,
    pattern: new RegExp(
      String.raw`(?<before>secret[_-]?(?:access[_-]?)?key${assigns})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])`,
      'gi',
    ),
    accept: (secret) => entropy(secret) >= minEntropyOfKey && /[A-Z]/.test(secret) && /[a-z]/.test(secret),
  },
  {
    id: 'authorization',
    requiredWords: ['authorization'],
    ignoreCase: true,
    pattern: new RegExp(
      String.raw`(?<before>authorization${assigns}(?:(?:bearer|basic|token|bot|apikey)\s{1,3})?)[\w.~+/=-]{12,4000}`,
      'gi',
    ),
    accept: looksRandom,
  },
  {
    id: 'bearer-token',
    requiredWords: ['bearer '],
    ignoreCase: true,
    pattern: /(?<before>(?<![a-z])bearer )[\w.~+/-]{16,4000}={0,2}/gi,
    accept: looksRandom,
  },
  {
    id: 'signature',
    requiredWords: ['sig=', 'signature='],
    ignoreCase: true,
    pattern: /(?<before>[?&;](?:amp;)?(?:sig|signature|x-(?:amz|goog)-signature)=)[\w%+/~-]{30,1000}={0,2}/gi,
    accept: looksRandom,
  },
  {
    id: 'url-token',
    requiredWords: ['://'],
    pattern: /(?<before>https?:\/\/)[\w-]{20,200}(?=(?::(?:x-oauth-basic)?)?@[\w[])/g,
    accept: looksRandom,
  },
  {
    id: 'cookie',
    requiredWords: ['cookie'],
    ignoreCase: true,
    pattern:
      /(?<before>cookie(?:\\{0,3}["'])?\s{0,3}:\s{0,3}(?:\\{0,3}["'])?)(?=[\w.-]{1,60}=)[^\r\n"'\x60\\]{8,4000}/gi,
    accept: (secret) => secret.split(/[;=]/).some((part) => part.length >= 12 && looksRandom(part)),
  },
  {
    id: 'assigned-secret',
    requiredWords: nameWords,
    ignoreCase: true,
    pattern: new RegExp(`(?<before>${named}${assigns})${value}`, 'gi'),
    accept: isAssigned,
  },
  {
    id: 'assigned-secret',
    requiredWords: ['--', 'env '],
    ignoreCase: true,
    pattern: new RegExp(`(?<before>${spaced})${value}`, 'gi'),
    accept: isAssigned,
  },
  {
    id: 'assigned-secret',
    requiredWords: nameWords,
    ignoreCase: true,
    pattern: new RegExp(`(?<before>${named}${beside})${value}`, 'gi'),
    accept: isAssigned,
  },
  {
    id: 'assigned-secret',
    requiredWords: ['value'],
    ignoreCase: true,
    pattern: new RegExp(`(?<before>${paired})${value}`, 'gi'),
    accept: isAssigned,
  },
  {
    id: 'assigned-secret',
    requiredWords: nameWords,
    ignoreCase: true,
    pattern: new RegExp(String.raw`(?<before>${tagged})[^<>\s]{6,4000}(?=<\/)`, 'gi'),
    accept: (secret) => !isPlaceholder(secret),
  },
];

/** Minimum entropy; only one in a million random strings of 40 characters has less. */
const minEntropyOfKey = 3.9;

/** In URLs, `&` starts another value. Templates are not values. */
function isAssigned(secret: string): boolean {
  if (secret.includes('${')) return false;
  const [first = ''] = secret.split('&', 1);
  return looksRandom(first.length >= 12 ? first : secret);
}
