/** Made-up secrets for tests, put together when they run, so that no file of the repository looks like it holds one. */

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

/** Pseudo-random and the same each time: a linear congruential generator. */
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

export const families = Object.keys(makers);

export function aSecret(family: string, seed: number): string {
  const make = makers[family];
  if (make === undefined) throw new Error(`no such family: ${family}`);
  return make(generator(seed * 7919 + families.indexOf(family) * 104_729 + 1));
}

/** A key as a tool writes it, of that many lines. */
export function aPrivateKey(seed: number, lines = 25, label = 'OPENSSH '): string {
  const random = generator(seed);
  const dashes = '-'.repeat(5);
  const body = Array.from({ length: lines }, () => random(base64, 64)).join('\n');
  return `${dashes}BEGIN ${label}PRIVATE KEY${dashes}\n${body}\n${dashes}END ${label}PRIVATE KEY${dashes}`;
}

export function randomText(seed: number, alphabet: keyof typeof alphabets, length: number): string {
  return generator(seed)({ alphanumeric, base32, base64, hex, url }[alphabet], length);
}

/** Ways in which a secret stands in what agents read, write and print. */
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
