import assert from 'node:assert/strict';
import { formatAddress, parseAddress, parseAddressWithPassword } from '../../../src/team/database/address.ts';
import { passwordIn } from '../../../src/team/database/passwordFile.ts';
import { TeamError } from '../../../src/team/errors.ts';

describe('the address of a team database', () => {
  const texts = [
    'postgres://alice@db.example.org/team',
    'postgres://alice@db.example.org:6432/team?sslrootcert=%2Fetc%2Fca.pem',
    'postgres://alice@db.internal/team?sslmode=disable',
    'postgres://alice@127.0.0.1:5433/team',
    'postgres://a%40b@[::1]/my%20team',
  ];
  for (const text of texts) it(`round-trips: ${text}`, () => assert.equal(formatAddress(parseAddress(text)), text));

  it('verifies certificates unless configured otherwise or the server is on this machine', () => {
    assert.equal(parseAddress('postgres://a@db.example.org/t').tls, 'verify');
    assert.equal(parseAddress('postgres://a@db.example.org/t?sslmode=verify-full').tls, 'verify');
    assert.equal(parseAddress('postgres://a@db.example.org/t?sslmode=disable').tls, 'none');
    assert.equal(parseAddress('postgres://a@localhost/t').tls, 'none');
    assert.equal(parseAddress('postgres://a@localhost/t?sslmode=verify-full').tls, 'verify');
  });

  const refused: readonly [text: string, reason: RegExp][] = [
    ['postgres://a:secret@db.example.org/t', /contains a password/],
    ['postgres://a@db.example.org/t?password=secret', /contains a password/],
    ['postgres://a@db.example.org/t?sslmode=require', /does not verify/],
    ['postgres://a@db.example.org/t?options=-csearch_path', /does not support "options"/],
    ['postgres://a@db.example.org', /does not name a database/],
    ['mysql://a@db.example.org/t', /Not the address/],
    ['team', /Not the address/],
  ];
  for (const [text, reason] of refused) {
    it(`is refused: ${text}`, () => {
      assert.throws(
        () => parseAddress(text),
        (error) => TeamError.is(error, 'url') && reason.test(error.message) && !error.message.includes('secret'),
      );
    });
  }

  it('may have a password if it is not saved', () => {
    const { address, password } = parseAddressWithPassword('postgres://a:s%20p@db.example.org/t');
    assert.equal(password, 's p');
    assert.equal(formatAddress(address), 'postgres://a@db.example.org/t');
  });
});

describe('the password file', () => {
  const address = parseAddress('postgres://alice@db.example.org/team');
  const cases: readonly [text: string, password: string | undefined][] = [
    ['db.example.org:5432:team:alice:one', 'one'],
    ['# db.example.org:5432:team:alice:one\n*:*:*:alice:two', 'two'],
    ['other:5432:team:alice:one\r\n*:*:*:*:three\r\n', 'three'],
    [String.raw`db.example.org:5432:team:alice:with\:colon\\`, 'with:colon\\'],
    ['db.example.org:5432:team:bob:one', undefined],
    ['db.example.org:5432:team', undefined],
    ['', undefined],
  ];
  for (const [text, password] of cases)
    it(`gives ${password ?? 'nothing'} for ${JSON.stringify(text)}`, () => {
      assert.equal(passwordIn(text, address), password);
    });
});
