/** Formats of a secret in tools. Each returns the text and, if different from the secret, what must be masked. */
export type SecretForm = (secret: string) => string | readonly [text: string, shows: string];

const name = 'SERVICE_API_KEY=';
const file = (secret: string): string => `# settings\n${name}${secret}\nPORT=1`;
const mapCharacters = (text: string, change: (character: string, code: string) => string): string =>
  Array.from(text, (character) => change(character, character.charCodeAt(0).toString(16))).join('');
const lines = (text: string, change: (line: string, at: number) => string): string =>
  text.split('\n').map(change).join('\n');
const wrapped = (text: string, width: number, end = '\n'): string =>
  text.replaceAll(new RegExp(`(.{${width}})(?=.)`, 'gs'), `$1${end}`);
const numbered = (text: string): string => lines(text, (line, at) => `${String(at + 1).padStart(6)}\t${line}`);
const named = (text: string, content: string): readonly [string, string] => [`${text}${content}`, content];

/** With a name next to the secret. */
export const commonForms: Readonly<Record<string, SecretForm>> = {
  'a file of settings': file,
  'a quoted string': (secret) => `const apiKey = "${secret}";`,
  'a string in single quotes': (secret) => `api_key = '${secret}'`,
  json: (secret) => JSON.stringify({ api_key: secret }),
  'json in json': (secret) => JSON.stringify({ a: JSON.stringify({ api_key: secret }) }),
  'json, three levels': (secret) => JSON.stringify(JSON.stringify(JSON.stringify({ api_key: secret }))),
  yaml: (secret) => `service:\n  api_key: ${secret}\n`,
  toml: (secret) => `api_key = "${secret}"`,
  query: (secret) => named('https://a.test/?page=2&api_key=', encodeURIComponent(secret)),
  'a comment': (secret) => `# ${name}${secret}`,
  'an export of a shell': (secret) => `export ${name}"${secret}"`,
  PowerShell: (secret) => `$env:SERVICE_API_KEY = "${secret}"`,
  Dockerfile: (secret) => `ENV SERVICE_API_KEY ${secret}`,
  'an attribute': (secret) => `<add apiKey="${secret}"/>`,
  'a header': (secret) => `Authorization: Bearer ${secret}`,
  'a header of its own': (secret) => `X-Api-Key: ${secret}`,
  'a cookie': (secret) => `Cookie: session_token=${secret}; a=b`,
  'lines of DOS': (secret) => `a=1\r\n${name}${secret}\r\n`,
  indented: (secret) => `\t\tapi_key: ${secret}`,
  'an added line': (secret) => `+${name}${secret}`,
  'a removed line': (secret) => `-${name}${secret}`,
  'numbered lines': (secret) => numbered(file(secret)),
  'numbered lines of nl': (secret) => lines(file(secret), (line, at) => `${String(at + 1).padStart(6)}  ${line}`),
  'a match': (secret) => `12:${name}${secret}`,
  'a pair of attributes': (secret) => `<add key="SERVICE_API_KEY" value="${secret}" />`,
  'cells of a table': (secret) => `| name | value |\n|---|---|\n| SERVICE_API_KEY | ${secret} |`,
  'a default': (secret) => `key = os.environ.get("SERVICE_API_KEY", "${secret}")`,
  'quoted after its name': (secret) => `Error: rejected service_api_key "${secret}"\n    at login (app.js:1:2)`,
  'a match in a file': (secret) => `src/.env:12:${name}${secret}`,
};

/** Encoded, split, or without a name. */
export const hardForms: Readonly<Record<string, SecretForm>> = {
  bare: (secret) => secret,
  'a sentence': (secret) => `The key is ${secret}, ok.`,
  'a cell of a table': (secret) => `| api_key | ${secret} |`,
  'code in markdown': (secret) => `The key: \`${secret}\``,
  'an encoded address': (secret) =>
    named(
      '?api_key=',
      mapCharacters(secret, (_, code) => `%${code}`),
    ),
  'decimal entities': (secret) =>
    named(
      'api_key=',
      mapCharacters(secret, (one) => `&#${one.charCodeAt(0)};`),
    ),
  'hexadecimal entities': (secret) =>
    named(
      'api_key=',
      mapCharacters(secret, (_, code) => `&#x${code};`),
    ),
  'escapes of JSON': (secret) =>
    named(
      '"api_key":"',
      mapCharacters(secret, (_, code) => `\\u00${code}`),
    ),
  base64: (secret) => named('', btoa(`${name}${secret}`)),
  'base64 twice': (secret) => named('', btoa(btoa(`${name}${secret}`))),
  'base64 for addresses': (secret) => named('', Buffer.from(`${name}${secret}`).toString('base64url')),
  'base64 in lines of 76': (secret) => {
    const text = wrapped(btoa(`${file(secret)}\nNAME=a line that is long enough to be wrapped once more`), 76);
    return [text, text.slice(20, 70)];
  },
  hexadecimal: (secret) => named('', Buffer.from(`${name}${secret}`).toString('hex')),
  'zero-width spaces everywhere': (secret) => named(name, mapCharacters(secret, (one) => `${one}\u200b`).slice(0, -1)),
  'a zero-width space': (secret) => named(name, `${secret.slice(0, 9)}\u200b${secret.slice(9)}`),
  'a soft hyphen': (secret) => named(name, `${secret.slice(0, 5)}\u00ad${secret.slice(5)}`),
  'lines of 20': (secret) => [wrapped(`${name}${secret}`, 20), wrapped(`${name}${secret}`, 20).slice(name.length)],
  'lines of 40': (secret) => [wrapped(`${name}${secret}`, 40), wrapped(`${name}${secret}`, 40).slice(name.length)],
  'bare lines of 20': (secret) => named('', wrapped(secret, 20)),
  'numbered lines of 40': (secret) => named('     1\t', numbered(wrapped(secret, 40)).slice(7)),
  'added lines of 40': (secret) => named('+', lines(wrapped(secret, 40), (line) => `+${line}`).slice(1)),
  'colours within': (secret) => named(name, `${secret.slice(0, 8)}\u001b[31m${secret.slice(8)}`),
  'strings in brackets': (secret) => named('API_KEY = ("', `${secret.slice(0, 12)}"\n    "${secret.slice(12)}`),
  'a sum of strings': (secret) => named('apiKey = "', `${secret.slice(0, 10)}" + "${secret.slice(10)}`),
};
