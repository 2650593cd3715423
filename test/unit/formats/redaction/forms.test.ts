import * as assert from 'node:assert/strict';
import { findSecrets } from '../../../../src/formats/redaction/scan.ts';
import { commonForms, hardForms, type SecretForm } from '../../../support/hostile/secretForms.ts';
import { aSecret, families, moreFamilies, randomText } from '../../../support/hostile/secrets.ts';

const bare: Readonly<Record<string, (seed: number) => string>> = {
  'key of 32 bytes': (seed) => randomText(seed + 5, 'hex', 64),
  'key of Azure storage': (seed) => `${randomText(seed + 6, 'base64', 86)}==`,
  'token of a Discord bot': (seed) =>
    `${Buffer.from(`1000000000000${10_000 + seed}`).toString('base64url')}.${randomText(seed, 'alphanumeric', 6)}.${randomText(seed + 1, 'url', 37)}a`,
};
const seeds = [1, 2, 3];
const secrets = [
  ...[...families, ...moreFamilies].map((family) => ({ kind: family, make: (seed: number) => aSecret(family, seed) })),
  ...Object.entries(bare).map(([kind, make]) => ({ kind, make })),
];

/** Which of them are not masked, at least nine tenths of each. */
function missed(forms: Readonly<Record<string, SecretForm>>): string[] {
  return Object.entries(forms).flatMap(([form, write]) =>
    secrets.flatMap(({ kind, make }) =>
      seeds.filter((seed) => !isMasked(write, make(seed))).map(() => `${kind}: ${form}`),
    ),
  );
}

function isMasked(write: SecretForm, secret: string): boolean {
  const written = write(secret);
  const [text, shows] = typeof written === 'string' ? [written, secret] : written;
  const start = text.indexOf(shows);
  const end = start + shows.length;
  assert.ok(start >= 0);
  const masked = findSecrets(text).reduce(
    (sum, found) => sum + Math.max(0, Math.min(found.end, end) - Math.max(found.start, start)),
    0,
  );
  return masked >= shows.length * 0.9;
}

describe('masking, by kind and form', () => {
  const count = (forms: object): number => Object.keys(forms).length * secrets.length * seeds.length;

  it('finds 99 of 100 with a name next to the secret', () => {
    const all = missed(commonForms);
    assert.ok(all.length <= count(commonForms) / 100, all.join('\n'));
  });

  it('finds 97 of 100 that are encoded, split, or without a name', () => {
    const all = missed(hardForms);
    assert.ok(all.length <= (count(hardForms) * 3) / 100, all.join('\n'));
  });

  it('does not mistake a checksum for a key', () => {
    const hex = randomText(9, 'hex', 64);
    const base64 = `${randomText(9, 'base64', 86)}==`;
    for (const text of [
      hex,
      `${hex}  key.txt`,
      `sha256:${hex}`,
      `"integrity": "sha512-${base64}"`,
      `api_key_sha256 = "${hex}"`,
      `commit ${hex}`,
      `resolved https://a.test/token.tgz#${hex}`.replace('token', 'x'),
    ]) {
      assert.deepEqual(findSecrets(text), [], text);
    }
    for (const text of [`ENCRYPTION_KEY=${hex}`, `{"master_key": "${hex}"}`, `The signing key is ${hex}`]) {
      assert.equal(findSecrets(text).length, 1, text);
    }
  });

  it('joins wrapped lines only if nothing but a line break separates them', () => {
    const secret = aSecret('github', 4);
    const text = `a: ${secret.slice(0, 17)}\n${secret.slice(17, 37)}\n${secret.slice(37)}\nnext`;
    const [found] = findSecrets(text);
    assert.ok(found !== undefined);
    assert.equal(text.slice(found.start, found.end).replaceAll('\n', ''), secret);
    assert.deepEqual(findSecrets(`a: ${secret.slice(0, 17)} \n\n ${secret.slice(17)}`), []);
  });
});
