import { looksRandom, isPlaceholder } from './entropy.ts';
import { isEncodedKey, privateKeys } from './privateKeys.ts';
import { named, nameHints } from './secretNames.ts';

/** A stretch of a text: from `start` up to, and without, `end`, in UTF-16 units. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * How one kind of secret looks. A `pattern` is global; its group `before` is kept, the rest of the match is the secret.
 * Every repetition in it is bounded and begins with a literal, so that a text costs time in proportion to its length.
 */
export interface SecretRule {
  readonly id: string;
  /** One of these must be in the text, in lower case with `ignoreCase`; looking for them is much cheaper. */
  readonly hints: readonly string[];
  readonly ignoreCase?: true;
  readonly pattern?: RegExp;
  /** Whether what the pattern found is a secret after all. */
  readonly accept?: (secret: string) => boolean;
  /** Instead of a pattern, where that would take more than linear time. */
  readonly find?: (text: string) => readonly Stretch[];
}

function token(id: string, pattern: RegExp, ...hints: string[]): SecretRule {
  return { id, hints, pattern };
}

/** Not within a word, though an escaped character or the end of a terminal's colour may stand right before. */
const escaped = String.raw`(?<=(?:\\|%5C)[nrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}|(?:\[|%5B)[\d;]{0,9}m)`;
const edge = String.raw`(?:(?<![\w-])|${escaped})`;
const colour = String.raw`(?:\x1b\[[\d;]{0,12}m){0,3}`;
/** As aligned columns have it, or on the next line. */
const gap = String.raw`(?:[ \t]{0,40}|\s{0,3})`;
/** Between a name and its value: quotes, which may be escaped, colours of a terminal, and what assigns. */
const quote = String.raw`(?:\\{0,7}["'\x60]|&quot;|&#3[49];|%22|%27)?`;
const assigns = String.raw`${colour}${quote}${colour}${gap}(?:=>|:=|[:=]|%3A|%3D)${colour}${gap}${colour}${quote}`;
/** A name as options of programs have it, and lines of a Dockerfile. */
const spaced = String.raw`(?:--[\w-]{0,30}${named}|\bENV[ \t]{1,4}\w{0,40}${named})[ \t]{1,4}(?:\\{0,3}["'])?`;
/** A pair of fields: the name of a variable, and what it is. */
const paired = String.raw`name\\{0,3}["']?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?\w{0,40}${named}(?:\\{0,3}["'])?,?\s{1,60}(?:\\{0,3}["'])?value${assigns}`;
const tagged = String.raw`<\w{0,30}${named}>`;
/** What is quoted goes on to the quote; what is not has no spaces, commas or brackets. */
const value = String.raw`(?:(?<=["'\x60])[^"'\x60\\\s]{12,4000}|[\w.~+/=!@#$%^&*-]{12,4000})`;

/**
 * Formats of keys as their issuers document them, and of what stands beside a telling name. More exact rules come first:
 * of two that find the same stretch the first names it.
 */
export const secretRules: readonly SecretRule[] = [
  { id: 'private-key', hints: ['PRIVATE KEY'], find: privateKeys },
  {
    id: 'private-key',
    hints: ['LS0tLS1CRUdJTi'],
    pattern: /LS0tLS1CRUdJTi[A-Za-z0-9+/=]{40,65536}/g,
    accept: isEncodedKey,
  },
  token('anthropic-key', /sk-ant-[a-z]{2,8}\d{2}-[\w-]{20,200}/g, 'sk-ant-'),
  token('openrouter-key', /sk-or-v1-[0-9a-f]{64}/g, 'sk-or-v1-'),
  token(
    'openai-key',
    /sk-(?:proj|svcacct|admin|None)-[\w-]{20,250}/g,
    'sk-proj-',
    'sk-svcacct-',
    'sk-admin-',
    'sk-None-',
  ),
  token('openai-key', /sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}/g, 'T3BlbkFJ'),
  token('github-token', /gh[opsur]_[A-Za-z0-9]{36,251}/g, 'ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_'),
  token('github-token', /github_pat_\w{22,255}/g, 'github_pat_'),
  {
    id: 'gitlab-token',
    hints: ['gl'],
    pattern: /gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w-]{20,100}/g,
    accept: (secret) => !/^[a-z]+(?:-[a-z]+)+(?:-\d{1,3})?$/.test(secret),
  },
  token(
    'aws-access-key',
    new RegExp(String.raw`(?:(?<![A-Z0-9])|${escaped})(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Z0-9])`, 'g'),
    'AKIA',
    'ASIA',
    'ABIA',
    'ACCA',
  ),
  {
    id: 'aws-secret-key',
    hints: ['secret'],
    ignoreCase: true,
    pattern: new RegExp(
      String.raw`(?<before>secret[_-]?(?:access[_-]?)?key${assigns})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])`,
      'gi',
    ),
    accept: looksRandom,
  },
  token('google-api-key', /AIza[\w-]{35}(?![\w-])/g, 'AIza'),
  token('google-oauth', new RegExp(String.raw`GOCSPX-[\w-]{28}|${edge}ya29\.[\w-]{30,1000}`, 'g'), 'GOCSPX-', 'ya29.'),
  token('slack-token', /xox[abcdeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250}/g, 'xox', 'xapp-'),
  token('slack-webhook', /hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/]{20,100}/g, 'hooks.slack.com'),
  token('discord-webhook', /discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{50,100}/g, '/api/webhooks/'),
  token('stripe-key', /[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}/g, 'k_live_', 'k_test_'),
  token('stripe-key', /whsec_[A-Za-z0-9+/]{32,100}/g, 'whsec_'),
  token('npm-token', /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g, 'npm_'),
  token('pypi-token', /pypi-AgE[\w-]{50,1000}/g, 'pypi-AgE'),
  token('huggingface-token', /hf_[A-Za-z]{34}(?![A-Za-z])/g, 'hf_'),
  token('groq-key', /gsk_[A-Za-z0-9]{52}/g, 'gsk_'),
  token('xai-key', /xai-[A-Za-z0-9]{70,90}/g, 'xai-'),
  token('replicate-token', new RegExp(String.raw`${edge}r8_[A-Za-z0-9]{37}(?!\w)`, 'g'), 'r8_'),
  token('perplexity-key', /pplx-[A-Za-z0-9]{48}/g, 'pplx-'),
  token('sendgrid-key', /SG\.[\w-]{22}\.[\w-]{43}/g, 'SG.'),
  token('twilio-key', /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/g, 'SK'),
  token('mailgun-key', new RegExp(String.raw`${edge}key-[0-9a-f]{32}(?!\w)`, 'g'), 'key-'),
  token('shopify-token', /shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,64}/g, 'shp'),
  token('linear-key', /lin_(?:api|oauth)_[A-Za-z0-9]{32,128}/g, 'lin_'),
  token('notion-token', /ntn_\d{11}[A-Za-z0-9]{35}/g, 'ntn_'),
  token('figma-token', /fig[dou]r?_[\w-]{40,200}/g, 'fig'),
  token('vercel-token', /vc[aikpr]_[A-Za-z0-9]{24,60}(?!\w)/g, 'vc'),
  token('cloudflare-token', /cf(?:k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}/g, 'cf'),
  token('tailscale-key', /tskey-[a-z]{2,20}-[0-9A-Za-z]{8,40}-[0-9A-Za-z]{16,60}/g, 'tskey-'),
  token('databricks-token', new RegExp(String.raw`${edge}dapi[0-9a-f]{32}(?!\w)`, 'g'), 'dapi'),
  token('digitalocean-token', /do[opr]_v1_[0-9a-f]{64}/g, '_v1_'),
  token('docker-token', /dckr_(?:pat|oat)_[\w-]{27,60}/g, 'dckr_'),
  token('vault-token', new RegExp(String.raw`${edge}hv[bsr]\.[\w-]{24,300}`, 'g'), 'hvs.', 'hvb.', 'hvr.'),
  token('grafana-token', /glc_[A-Za-z0-9+/]{32,400}|glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}/g, 'glc_', 'glsa_'),
  token('1password-token', /ops_ey[A-Za-z0-9+/=]{100,1300}/g, 'ops_ey'),
  token('age-key', /AGE-SECRET-KEY-1[0-9A-Z]{58}/g, 'AGE-SECRET-KEY-1'),
  token('azure-client-secret', /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g, 'Q~'),
  token('atlassian-token', /ATATT3[\w=-]{100,300}/g, 'ATATT3'),
  token('telegram-token', /(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])/g, ':AA'),
  token('sentry-token', /sntr(?:ys|yu)_[\w+/=-]{40,400}/g, 'sntry'),
  token('supabase-token', /sbp_[0-9a-f]{40}/g, 'sbp_'),
  token('postman-key', /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/g, 'PMAK-'),
  token('jwt', new RegExp(String.raw`${edge}eyJ[\w-]{10,8000}\.eyJ[\w-]{10,8000}\.[\w-]{10,2000}`, 'g'), '.eyJ'),
  {
    id: 'url-password',
    hints: ['://', ':\\/\\/'],
    pattern:
      /(?<before>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}:(?:\\{0,3}\/){2}[^\s:/@"'`<>\\]{0,100}:)[^\s/"'`<>\\]{5,200}(?=@[\w[$%{])/gi,
    accept: (secret) => !isPlaceholder(secret),
  },
  {
    id: 'url-password',
    hints: ['%3a%2f%2f'],
    ignoreCase: true,
    pattern: /(?<before>%3A%2F%2F[^\s%]{0,100}%3A)[^\s/]{5,200}?(?=%40)/gi,
    accept: (secret) => !isPlaceholder(secret),
  },
  {
    id: 'authorization',
    hints: ['authorization'],
    ignoreCase: true,
    pattern: new RegExp(
      String.raw`(?<before>authorization${assigns}(?:(?:bearer|basic|token|bot|apikey)\s{1,3})?)[\w.~+/=-]{12,4000}`,
      'gi',
    ),
    accept: looksRandom,
  },
  {
    id: 'basic-auth',
    hints: ['basic '],
    ignoreCase: true,
    pattern: /(?<before>(?<![a-z])basic )[A-Za-z0-9+/]{8,4000}={0,2}/gi,
    accept: isBasicAuth,
  },
  {
    id: 'curl-password',
    hints: ['curl'],
    pattern: /(?<before>\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]["']?[^\s:"']{1,60}:)[^\s"']{5,200}/g,
    accept: (secret) => !isPlaceholder(secret),
  },
  {
    id: 'bearer-token',
    hints: ['bearer '],
    ignoreCase: true,
    pattern: /(?<before>(?<![a-z])bearer )[\w.~+/-]{20,4000}={0,2}/gi,
    accept: looksRandom,
  },
  {
    id: 'assigned-secret',
    hints: nameHints,
    ignoreCase: true,
    pattern: new RegExp(`(?<before>${named}${assigns})${value}`, 'gi'),
    accept: isAssigned,
  },
  {
    id: 'assigned-secret',
    hints: ['passw', 'passphrase', '_pwd'],
    ignoreCase: true,
    pattern: new RegExp(
      String.raw`(?<before>(?:passw(?:or)?d|passphrase|_pwd)${assigns})[\w.~+/=!@#$%^&*-]{8,11}(?![\w.~+/=!@#$%^&*(-])`,
      'gi',
    ),
    accept: isAssigned,
  },
  {
    id: 'assigned-secret',
    hints: ['--', 'env '],
    ignoreCase: true,
    pattern: new RegExp(`(?<before>${spaced})${value}`, 'gi'),
    accept: isAssigned,
  },
  {
    id: 'assigned-secret',
    hints: ['value'],
    ignoreCase: true,
    pattern: new RegExp(`(?<before>${paired})${value}`, 'gi'),
    accept: isAssigned,
  },
  {
    id: 'assigned-secret',
    hints: nameHints,
    ignoreCase: true,
    pattern: new RegExp(String.raw`(?<before>${tagged})[^<>\s]{6,4000}(?=<\/)`, 'gi'),
    accept: (secret) => !isPlaceholder(secret),
  },
];

/** What follows `&` in an address is another value. */
function isAssigned(secret: string): boolean {
  const [first = ''] = secret.split('&', 1);
  return looksRandom(first.length >= 12 ? first : secret);
}

/** `user:password` in base64. */
function isBasicAuth(secret: string): boolean {
  let [bits, held, text] = [0, 0, ''];
  for (const digit of secret.replace(/=+$/, '').slice(0, 400)) {
    held = ((held << 6) | base64.indexOf(digit)) & 0x3fff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    text += String.fromCharCode((held >> bits) & 0xff);
  }
  return /^[ -~]{1,200}:[ -~]{3,}$/.test(text);
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
