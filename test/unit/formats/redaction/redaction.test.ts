import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Redactor } from '../../../../src/formats/redaction/redactor.ts';
import { findSecrets } from '../../../../src/formats/redaction/scan.ts';
import type { NormalizedEntry } from '../../../../src/model/transcript/entry.ts';
import { codePoints, utf16Offsets } from '../../../../src/model/text/codePoints.ts';
import { isFullSize, printFuzzTotals } from '../../../support/hostile/fuzz.ts';
import { repeatTo, secretPieces } from '../../../support/hostile/growing.ts';
import {
  aPrivateKey,
  aSecret,
  embeddings,
  families,
  moreEmbeddings,
  moreFamilies,
  randomText,
} from '../../../support/hostile/secrets.ts';
import { anEntry, time } from '../../../support/sessions/records.ts';

const aRedactor = (salt = 'salt') =>
  new Redactor((secret) => createHmac('sha256', salt).update(secret).digest('hex').slice(0, 8));

const samples = 20;

describe('redaction', () => {
  for (const family of [...families, ...moreFamilies]) {
    it(`finds every ${family} secret, in every form`, () => {
      for (const [name, embed] of Object.entries({ ...embeddings, ...moreEmbeddings })) {
        for (let seed = 0; seed < samples; seed += 1) {
          const secret = aSecret(family, seed);
          const embedded = embed(secret);
          const [text, shows] = typeof embedded === 'string' ? [embedded, secret] : embedded;
          const masked = aRedactor().redactText(text, { path: [] });
          assert.ok(text.includes(shows), `${name}: ${text}`);
          assert.ok(!masked.includes(shows), `${name}: ${masked}`);
          assert.ok(!masked.includes(shows.slice(-12)), `${name}, its end: ${masked}`);
        }
      }
    });
  }

  const assignments: readonly [string, (value: string) => string][] = [
    ['a variable', (value) => `API_KEY=${value}`],
    ['a field of an object', (value) => `const client = new Client({ apiKey: '${value}' });`],
    ['a name of two words', (value) => `stripeToken: "${value}"`],
    ['a header', (value) => `Authorization: Bearer ${value}`],
    ['a password', (value) => `password: ${value}`],
    ['a sentence', (value) => `The password is ${value}.`],
  ];
  for (const [name, embed] of assignments) {
    it(`misses at most one of a hundred generated values in ${name}`, () => {
      const count = 2000;
      let missed = 0;
      for (let seed = 0; seed < count; seed += 1) {
        const secret = randomText(seed, 'alphanumeric', 16 + (seed % 3) * 8);
        if (aRedactor().redactText(embed(secret), { path: [] }).includes(secret)) missed += 1;
      }
      printFuzzTotals(`${missed} of ${count} in ${name}`);
      assert.ok(missed <= count / 100, `${missed} of ${count}`);
    });
  }

  const beside: readonly [string, string, string][] = [
    ['aws-secret-key', `AWS_SECRET_ACCESS_KEY=${randomText(1, 'base64', 40)}`, randomText(1, 'base64', 40)],
    ['aws-secret-key', `"SecretAccessKey": "${randomText(2, 'base64', 40)}",`, randomText(2, 'base64', 40)],
    ['url-password', 'git clone https://anna:c0rrect-h0rse@git.test/a.git', 'c0rrect-h0rse'],
    ['url-password', 'postgres://app:s3cr3t!value@db.test:5432/app', 's3cr3t!value'],
    ['authorization', `Authorization: Basic ${randomText(3, 'base64', 24)}`, randomText(3, 'base64', 24)],
    ['authorization', `{\\"authorization\\": \\"Bearer ${randomText(4, 'url', 40)}\\"}`, randomText(4, 'url', 40)],
    ['bearer-token', `-H 'X: Bearer ${randomText(5, 'url', 40)}'`, randomText(5, 'url', 40)],
    ['assigned-secret', `const apiKey = "${randomText(6, 'hex', 32)}";`, randomText(6, 'hex', 32)],
    ['assigned-secret', `DB_PASSWORD='Xy7#kd93!Qz81'`, 'Xy7#kd93!Qz81'],
    ['assigned-secret', `\tAPIKey:       "${randomText(12, 'hex', 32)}",`, randomText(12, 'hex', 32)],
    ['assigned-secret', `deploy --api-key ${randomText(13, 'hex', 32)} now`, randomText(13, 'hex', 32)],
    ['assigned-secret', `ENV API_KEY ${randomText(14, 'hex', 32)}`, randomText(14, 'hex', 32)],
    ['assigned-secret', `- name: API_KEY\n  value: "${randomText(15, 'hex', 32)}"`, randomText(15, 'hex', 32)],
    ['assigned-secret', '<password>plain words are none, h0uses so</password>'.replaceAll(' ', '-'), 'h0uses'],
    [
      'assigned-secret',
      `\u001b[34;1m"api_key"\u001b[0m\u001b[1;39m:\u001b[0m \u001b[0;32m"${randomText(16, 'hex', 32)}"`,
      randomText(16, 'hex', 32),
    ],
    ['assigned-secret', `GET /?api_key=${randomText(17, 'hex', 32)}&name=test-key`, randomText(17, 'hex', 32)],
    ['assigned-secret', `SECRET_KEY = 'django-q9v2kx7wm1z0p(${randomText(18, 'hex', 20)}'`, randomText(18, 'hex', 20)],
    ['assigned-secret', `"SessionToken": "${randomText(19, 'base64', 900)}"`, randomText(19, 'base64', 900)],
    ['assigned-secret', `%22api_key%22%3A%22${randomText(20, 'hex', 32)}%22`, randomText(20, 'hex', 32)],
    ['url-password', 'postgres://app:S3cretPw99x@${DB_HOST}/x', 'S3cretPw99x'],
    ['url-password', 'mysql://root:p@ssw0rd123@db.test/x', 'ssw0rd123'],
    ['url-password', String.raw`"postgres:\/\/app:S3cretPw99x@db.test\/x"`, 'S3cretPw99x'],
    ['url-password', encodeURIComponent('postgres://app:S3cretPw99x@db.test/x'), 'S3cretPw99x'],
    ['authorization', `Authorization: ${randomText(21, 'hex', 32)}`, randomText(21, 'hex', 32)],
    ['basic-auth', `X: Basic ${btoa('anna:open sesame now')}`, btoa('anna:open sesame now')],
    ['curl-password', 'curl -sS -u admin:Zx81kd93Qy72 https://a.test', 'Zx81kd93Qy72'],
    [
      'private-key',
      `client-key-data: ${btoa(aPrivateKey(22, 5, 'RSA '))}`,
      btoa(aPrivateKey(22, 5, 'RSA ')).slice(-60, -4),
    ],
    [
      'private-key',
      aPrivateKey(23, 12)
        .split('\n')
        .slice(0, -1)
        .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
        .join('\n'),
      aPrivateKey(23, 12).split('\n')[12] ?? '',
    ],
    ['url-password', '+postgres://app:S3cretPw99x@db.test/x', 'S3cretPw99x'],
    ['url-password', '\u001b[31mpostgres://app:S3cretPw99x@db.test/x', 'S3cretPw99x'],
    ['url-token', `https://${randomText(24, 'hex', 40)}@git.test/a.git`, randomText(24, 'hex', 40)],
    ['curl-password', 'curl -sS https://a.test \\\n  -u admin:Zx81kd93Qy72', 'Zx81kd93Qy72'],
    ['curl-password', 'curl -uadmin:Zx81kd93Qy72 https://a.test', 'Zx81kd93Qy72'],
    ['program-password', 'sshpass -p correcthorse ssh a@b.test', 'correcthorse'],
    ['program-password', 'mysql -u root -pcorrecthorse shop', 'correcthorse'],
    ['netrc-password', 'machine a.test login me password Zx81kd93Qy72', 'Zx81kd93Qy72'],
    ['connection-password', 'Server=db;User Id=sa;Password=correcthorse;Encrypt=True', 'correcthorse'],
    ['connection-password', '"Server=db;Uid=sa;Pwd=hunter2x"', 'hunter2x'],
    ['assigned-secret', 'docker run -e DB_PASSWORD=hunter2 db', 'hunter2'],
    ['assigned-secret', 'DB_PASSWORD=Sup3rSecret!', 'Sup3rSecret!'],
    ['assigned-secret', 'password: Summer2024!', 'Summer2024!'],
    ['assigned-secret', '{"password": "hunter2!"}', 'hunter2!'],
    ['assigned-secret', JSON.stringify(JSON.stringify({ password: 'correcthorse' })), 'correcthorse'],
    [
      'signature',
      `https://a.test/c?sv=2022&sig=${randomText(25, 'alphanumeric', 43)}%3D`,
      randomText(25, 'alphanumeric', 43),
    ],
    ['cookie', `Set-Cookie: sid=${randomText(26, 'hex', 32)}; HttpOnly`, randomText(26, 'hex', 32)],
    ['aws-secret-key', ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', 'bPxRfiCYEXAMPLEKEY'].join('/'), 'EXAMPLEKEY'],
    ['private-key', encodeURIComponent(aPrivateKey(27, 6)), encodeURIComponent(aPrivateKey(27, 6)).slice(200, 260)],
    ['private-key', `cat key\n${aPrivateKey(7)}\n$`, aPrivateKey(7).split('\n')[4] ?? ''],
    [
      'private-key',
      JSON.stringify({ key: aPrivateKey(8, 10, 'RSA ') }),
      aPrivateKey(8, 10, 'RSA ').split('\n')[9] ?? '',
    ],
    [
      'private-key',
      aPrivateKey(9, 12, '').split('\n').slice(0, -1).join('\n'),
      aPrivateKey(9, 12, '').split('\n')[12] ?? '',
    ],
  ];
  for (const [rule, text, secret] of beside) {
    it(`masks by ${rule}: ${text.slice(0, 30).replaceAll('\n', ' ')}…`, () => {
      const redactor = aRedactor();
      const masked = redactor.redactText(text, { path: [] });
      assert.ok(secret.length > 5 && text.includes(secret));
      assert.ok(!masked.includes(secret), masked);
      assert.deepEqual(Object.keys(redactor.report().byRule), [rule]);
    });
  }

  it('keeps what only looks like a secret', () => {
    const plain = [
      'const token = await readToken(context.settings.tokenFile);',
      'https://user:password@host.test/',
      'Authorization: Bearer <token>',
      'API_KEY=${API_KEY}',
      'password: process.env.DB_PASSWORD,',
      'apiKey: process.env.STRIPE_V2_API_KEY_2,',
      'secret_key=/run/secrets/2024/api-key-01.txt',
      'glrt-container-layout-primary-2',
      'OLDPWD=/home/a/b2/c3',
      'max_tokens=4096',
      'key-value-store',
      'const cacheKey = getFlowCacheKey(node, declaredType);',
      'createToken(dotDotDotToken: DotDotDotToken | undefined)',
      '"password": "Enter your password"',
      '"pbkdf2-password": "1.2.1"',
      'The token is required, and the password is optional here.',
      'submitPassword: SIGN_UP_V2_SUBMIT_PASSWORD,',
      `"integrity": "sha512-${randomText(30, 'base64', 86)}=="`,
      `data:text/plain;base64,${btoa('Many hands make light work, and more of them.')}`,
      'Cookie: theme=dark; lang=en',
      createHash('sha256').update('a commit').digest('hex'),
      'https://api.test:8080/a@b',
    ];
    for (const text of plain) assert.deepEqual(findSecrets(text), [], text);
  });

  it('finds at most one secret in a MB of source', () => {
    const folders = ['src', 'webview', 'test/support', 'test/unit', 'node_modules/zod', 'node_modules/execa'];
    const libraries = ['node_modules/typescript/lib', 'node_modules/playwright-core/lib', 'node_modules/lit'];
    let bytes = 0;
    let hits = 0;
    const files = [...folders, ...(isFullSize ? libraries : [])].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:[cm]?[jt]s|json|md)$/.test(name) && !/redaction[\w.]*\.test\.ts$/.test(name))
        .map((name) => path.join(folder, name)),
    );
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      bytes += text.length;
      hits += findSecrets(text).length;
    }
    printFuzzTotals(`${hits} false hits in ${bytes} bytes`);
    assert.ok(bytes > (isFullSize ? 20e6 : 4e6), `${bytes} bytes looked at`);
    assert.ok(hits <= bytes / 1e6, `${hits} hits in ${bytes} bytes`);
  }).timeout(240_000);

  const pieces = {
    ...secretPieces,
    'words in base64': `${btoa('more than 18 printable')} `,
    'lines of base64': `${btoa('x'.repeat(57))}\n`,
    'words in hexadecimal': `${Buffer.from('more than 16 of them').toString('hex')} `,
    'escaped letters': '%41',
    colours: '\u001b[31m',
    'sums of strings': '" + "',
    'heads of tokens': 'eyJhbGciOiJIUzI1NiJ9.',
    'ends of tokens': 'AZDO',
    'letters and digits': randomText(12, 'alphanumeric', 39),
    'quoted names': '"password": "',
    cookies: 'cookie: a=',
    logins: 'login a password ',
    'programs that ask': 'mysql ',
  };
  for (const [name, piece] of Object.entries(pieces)) {
    it(`finishes 3 MB of ${name}`, () => {
      const text = repeatTo(piece, 3e6);
      for (const { start, end } of findSecrets(text)) assert.ok(start < end && end <= text.length);
    });
  }

  it('masks values and field names in any JSON', () => {
    const secret = aSecret('github', 5);
    const value = {
      list: [{ deep: [[`a ${secret}`]] }],
      [secret]: 1,
      password: 'correct horse',
      env: [{ name: 'API_KEY', value: 'plain words' }],
      args: ['--api-key', 'plain words', '--max-tokens', '4096'],
      JWT_SECRET: ['plain words'],
      max_tokens: 'four thousand',
      count: 3,
      nothing: null,
      __proto: true,
    };
    const redactor = aRedactor();
    const masked = redactor.redactJson(value, { path: ['x'] });
    const text = JSON.stringify(masked);
    assert.ok(!text.includes(secret) && !text.includes('correct horse') && !text.includes('plain words'), text);
    const { total, byRule, masked: listed } = redactor.report();
    assert.equal(total, 6);
    assert.deepEqual(byRule, { 'github-token': 2, 'named-field': 4 });
    assert.deepEqual(
      listed.map(({ field }) => field),
      ['x.list.0.deep.0.0', 'x.(masked)', 'x.password', 'x.env.0.value', 'x.args.1', 'x.JWT_SECRET.0'],
    );
    assert.ok(!JSON.stringify(redactor.report()).includes(secret));
  });

  it("masks the whole value of a field with a secret's name", () => {
    const jwt = aSecret('jwt', 1);
    const plain = {
      cookie: `sid=plain-session-words; t=${jwt}`,
      password: `${aSecret('github', 1)}-and-my-own-part`,
      connectionString: 'Server=db;Pwd=hunter2x;Endpoint=https://a:secretpw@b/',
      dbPassword: 12_345_678,
      password2: 'correct horse',
      apiKeys: ['plain one'],
      secret: { value: 'correct horse' },
      credentials: { user: 'a', pass: 'correct horse' },
      headers: [
        ['Authorization', 'Bearer abcdefgh'],
        ['X-Api-Key', 'plain words'],
      ],
      raw: ['Accept', 'text/html', 'Cookie', 'sid=plain'],
    };
    const masked = aRedactor().redactJson(plain, { path: [] }) as Record<string, unknown>;
    const mask = /^\[redacted:named-field hmac:[0-9a-f]{8}\]$/;
    for (const key of ['cookie', 'password', 'connectionString', 'dbPassword', 'password2']) {
      assert.match(String(masked[key]), mask, key);
    }
    assert.doesNotMatch(JSON.stringify(masked), /plain|correct|abcdefgh/);
    assert.deepEqual((masked['raw'] as string[]).slice(0, 3), plain.raw.slice(0, 3));
    const exact = aRedactor().redactJson({ authorization: `Bearer ${jwt}`, pass: 'all tests pass' }, { path: [] });
    assert.match(JSON.stringify(exact), /"Bearer \[redacted:jwt hmac:\w{8}\]","pass":"all tests pass"/);
  });

  it('masks escaped text exactly', () => {
    const secret = aSecret('github', 6);
    const text = `a%20b \u001b[1m${secret.slice(0, 10)}\u001b[31m${secret.slice(10)}\u001b[0m ${'x '.repeat(4000)}"c" + "d"`;
    const masked = aRedactor().redactText(text, { path: [] });
    const mask = /\[redacted:github-token hmac:[0-9a-f]{8}\]/;
    assert.equal(
      masked.replace(mask, ''),
      text.replace(secret.slice(0, 10), '').replace(`\u001b[31m${secret.slice(10)}`, ''),
    );
  });

  it('masks the same in the first part of a text as in the whole', () => {
    const secret = aSecret('npm', 2);
    const started = aRedactor().redactBeginning(`key ${secret} and more`, 20, { path: [] });
    assert.match(started, /^key \[redacted:npm-token hmac:[0-9a-f]{8}\]$/);
    assert.equal(aRedactor().redactBeginning(`a word ${secret}`, 6, { path: [] }), 'a word');
  });

  it('omits what is nested too deep', () => {
    let value: unknown = aSecret('npm', 1);
    for (let depth = 0; depth < 5000; depth += 1) value = [value];
    assert.match(JSON.stringify(aRedactor().redactJson(value, { path: [] })), /deeper than 200 levels/);
  });

  it('moves the ranges of citations with the text', () => {
    const secret = aSecret('openai', 3);
    const content = `🙂 key ${secret} says “quoted 🙂 words” here`;
    const quoted = '“quoted 🙂 words”';
    const at = codePoints(content.slice(0, content.indexOf(quoted)));
    const entry: NormalizedEntry = {
      ...anEntry(0, content),
      metadata: {
        annotations: [
          { kind: 'citation', start_index: at, end_index: at + codePoints(quoted), url: 'https://a.test' },
          { kind: 'citation', start_index: 2, end_index: 20 },
          { kind: 'citation', url: 'https://whole.test' },
        ],
      },
    };
    const redacted = aRedactor().entry(entry);
    const [first, second, third] = redacted.metadata?.annotations ?? [];
    assert.ok(first?.kind === 'citation' && second?.kind === 'citation' && third?.kind === 'citation');
    const cut = ({ start_index: from, end_index: to }: typeof first): string => {
      const [start = 0, end = 0] = utf16Offsets(redacted.content, [from ?? 0, to ?? 0]);
      return redacted.content.slice(start, end);
    };
    assert.equal(cut(first), quoted);
    assert.match(cut(second), /^key \[redacted:openai-key hmac:[0-9a-f]{8}\]$/);
    assert.equal(third.start_index, undefined);
  });

  it('masks an entry the same way with the same key, and unpredictably without it', () => {
    const secret = aSecret('stripe', 2);
    const entry: NormalizedEntry = {
      ...anEntry(1, `charged with ${secret}`),
      timestamp: time(1),
      metadata: { sessionId: 'abc', own: { secretKey: 'a plain one' } },
    };
    const [once, again, other] = [aRedactor(), aRedactor(), aRedactor('other')].map((redactor) =>
      redactor.entry(entry),
    );
    assert.deepEqual(once, again);
    assert.notDeepEqual(once, other);
    assert.match(once?.content ?? '', /^charged with \[redacted:stripe-key hmac:[0-9a-f]{8}\]$/);
    assert.equal(once?.timestamp, entry.timestamp);
    const twice = aRedactor();
    assert.ok(once);
    assert.deepEqual(twice.entry(once), once);
    assert.equal(twice.report().total, 0);
  });
});
