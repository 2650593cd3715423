/** Fake secrets for tests, assembled at run time, so that no file of the repository seems to contain one. */

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';
export const alphabets = {
  alphanumeric: upper + lower + digits,
  base32: `${upper}234567`,
  base64: `${upper}${lower}${digits}+/`,
  hex: `${digits}abcdef`,
  url: `${upper}${lower}${digits}-_`,
};

/** A linear congruential generator: pseudo-random and reproducible. */
function generator(seed: number) {
  let state = seed >>> 0;
  return (alphabet: string, length: number): string => {
    let text = '';
    for (let index = 0; index < length; index += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      text += alphabet.charAt((state >>> 8) % alphabet.length);
    }
    return text;
  };
}

type Random = ReturnType<typeof generator>;
const { alphanumeric, base32, base64, hex, url } = alphabets;
const segment = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');

const joined = (...parts: readonly string[]): string => parts.join('');

const makers: Readonly<Record<string, (random: Random) => string>> = {
  anthropic: (r) => joined('sk-ant', '-api03-', r(url, 93), 'AA'),
  openai: (r) => joined('sk-', 'proj-', r(url, 120)),
  github: (r) => joined('gh', 'p_', r(alphanumeric, 36)),
  gitlab: (r) => joined('gl', 'pat-', r(url, 20)),
  aws: (r) => joined('AK', 'IA', r(base32, 16)),
  google: (r) => joined('AI', 'za', r(url, 34), 'z'),
  slack: (r) => joined('xo', 'xb-', r(digits, 12), '-', r(digits, 12), '-', r(alphanumeric, 24)),
  stripe: (r) => joined('sk_', 'live_', r(alphanumeric, 24)),
  npm: (r) => joined('np', 'm_', r(alphanumeric, 36)),
  jwt: (r) =>
    [segment({ alg: 'HS256', typ: 'JWT' }), segment({ sub: r(digits, 10), name: r(lower, 8) }), r(url, 43)].join('.'),
};

/** Keys of other issuers, and older or shorter formats. */
const moreMakers: typeof makers = {
  'anthropic, short': (r) => joined('sk-ant', '-', r(alphanumeric, 40)),
  'openai, old': (r) => joined('sk-', r(alphanumeric, 48)),
  openrouter: (r) => joined('sk-', 'or-v1-', r(hex, 64)),
  'github, fine-grained': (r) => joined('github', '_pat_', r(alphanumeric, 22), '_', r(alphanumeric, 59)),
  'aws, all digits': (r) => joined('AK', 'IA', r(upper + digits, 16)),
  'aws, without a name': (r) => joined(r(alphanumeric, 20), r(base64, 19), '7'),
  'google oauth': (r) => joined('ya', '29.', r(url, 60)),
  'google client': (r) => joined('GOC', 'SPX-', r(url, 28)),
  'slack, app': (r) => joined('xa', 'pp-1-', r(base32, 10), '-', r(digits, 13), '-', r(hex, 64)),
  'stripe, webhook': (r) => joined('wh', 'sec_', r(alphanumeric, 32)),
  huggingface: (r) => joined('h', 'f_', r(alphanumeric, 34)),
  sendgrid: (r) => joined('S', 'G.', r(url, 22), '.', r(url, 43)),
  twilio: (r) => joined('S', 'K', r(hex, 32)),
  mailgun: (r) => joined('ke', 'y-', r(hex, 32)),
  pypi: (r) => joined('py', 'pi-AgEIcHlwaS5vcmc', r(url, 80)),
  databricks: (r) => joined('da', 'pi', r(hex, 32)),
  digitalocean: (r) => joined('do', 'p_v1_', r(hex, 64)),
  vault: (r) => joined('hv', 's.', r(alphanumeric, 90)),
  azure: (r) => joined(r(alphanumeric, 3), '8Q', '~', r(alphanumeric, 34)),
  telegram: (r) => joined('1234567890', ':', r(alphanumeric, 35)),
  discord: (r) => joined('M', r(alphanumeric, 23), '.', r(alphanumeric, 6), '.', r(url, 37), 'a'),
  shopify: (r) => joined('shp', 'at_', r(hex, 32)),
  newrelic: (r) => joined('NR', 'AK-', r(upper + digits, 27)),
  postman: (r) => joined('PM', 'AK-', r(hex, 24), '-', r(hex, 34)),
  'jwt, payload of no kind': (r) => joined(segment({ alg: 'HS256' }), '.', r(url, 40), '.', r(url, 43)),
};

export const families = Object.keys(makers);
export const moreFamilies = Object.keys(moreMakers);

export function aSecret(family: string, seed: number): string {
  const make = makers[family] ?? moreMakers[family];
  if (make === undefined) throw new Error(`no such family: ${family}`);
  const at = [...families, ...moreFamilies].indexOf(family);
  return make(generator(seed * 7919 + at * 104_729 + 1));
}

/** A private key as a tool writes it, with this many lines. */
export function aPrivateKey(seed: number, lines = 25, label = 'OPENSSH '): string {
  const random = generator(seed);
  const dashes = '-'.repeat(5);
  const body = Array.from({ length: lines }, () => random(base64, 64)).join('\n');
  return `${dashes}BEGIN ${label}PRIVATE KEY${dashes}\n${body}\n${dashes}END ${label}PRIVATE KEY${dashes}`;
}

export function randomText(seed: number, alphabet: keyof typeof alphabets, length: number): string {
  return generator(seed)({ alphanumeric, base32, base64, hex, url }[alphabet], length);
}

/** Contexts of a secret in texts that agents read, write and print. */
export const embeddings: Readonly<Record<string, (secret: string) => string>> = {
  bare: (secret) => secret,
  prose: (secret) => `The key is ${secret}, please rotate it.`,
  env: (secret) => `PATH=/bin\nSERVICE_API_KEY=${secret}\nHOME=/home/a\n`,
  json: (secret) => JSON.stringify({ service: { key: secret, on: true } }, null, 2),
  'json in a string of json': (secret) => JSON.stringify({ body: JSON.stringify({ key: `\n${secret}\n` }) }),
  yaml: (secret) => `service:\n  token: '${secret}'\n`,
  shell: (secret) => `curl -H "X-Token: ${secret}" https://api.test/v1 | jq .`,
  query: (secret) => `GET https://api.test/v1?access=${secret}&page=2`,
  diff: (secret) => `@@ -1,2 +1,2 @@\n-const key = '';\n+const key = '${secret}';\n`,
  terminal: (secret) => `\u001b[32m${secret}\u001b[0m\r\n$ `,
};

/** More contexts; each returns what must be masked if that is not the plain secret. */
export const moreEmbeddings: Readonly<
  Record<string, (secret: string) => string | readonly [text: string, shows: string]>
> = {
  'an added line': (secret) => `@@ -1 +1 @@\n+${secret}\n`,
  'a removed line': (secret) => `@@ -1 +1 @@\n-${secret}\n+none\n`,
  'a removed line in JSON': (secret) => JSON.stringify({ patch: `@@ -1 +1 @@\n-${secret}\n+none` }),
  'a line beside a match': (secret) => `.env-12-${secret}\n.env:13:PORT=1`,
  'the end of a sentence': (secret) => `Use ${secret}.`,
  'columns of a table': (secret) => `| name | ${secret} | yes |`,
  'a fragment of an address': (secret) => `https://a.test/back#access=${secret}&state=7`,
  'a string of three levels': (secret) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: secret }) }) }),
  'marks around': (secret) => `🔑${secret}。`,
  'an escaped line': (secret) => `{"out":"a\\n${secret}\\nb"}`,
  'a line that goes on': (secret) => [`export A="${secret.slice(0, 9)}\\\n${secret.slice(9)}"`, secret.slice(9)],
  'a sum of strings': (secret) => [`const a = "${secret.slice(0, 12)}" +\n  "${secret.slice(12)}";`, secret.slice(12)],
  'colours within': (secret) => [`${secret.slice(0, 8)}\u001b[1;31m${secret.slice(8)}\u001b[0m`, secret.slice(8)],
  'an address': (secret) => {
    const shown = Array.from(secret, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    return [`https://a.test/?next=${shown}`, shown];
  },
  'escapes of JSON': (secret) => {
    const shown = Array.from(secret, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
    return [`{"a":"${shown}"}`, shown];
  },
  base64: (secret) => [`data:\n  a: ${btoa(secret)}\n`, btoa(secret).slice(4, -4)],
  'base64 in an address': (secret) => {
    const shown = Buffer.from(secret).toString('base64url');
    return [`/a/${shown}/b`, shown.slice(4, -4)];
  },
  'base64 of JSON': (secret) => [btoa(JSON.stringify({ a: secret })), btoa(JSON.stringify({ a: secret })).slice(8, -8)],
  'base64 in lines': (secret) => {
    const shown = btoa(`{"name":"a file of some length","secret":"${secret}"}`).replaceAll(/.{76}/g, '$&\n');
    return [`$ base64 a\n${shown}\n$`, shown.slice(-16, -4)];
  },
  hexadecimal: (secret) => [Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('hex').slice(8)],
};
