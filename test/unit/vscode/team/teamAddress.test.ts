import assert from 'node:assert/strict';
import { parseTyped, withUser, type TypedAddress } from '../../../../src/vscode/team/teamAddress.ts';

const parsed = (text: string): TypedAddress => {
  const found = parseTyped(text);
  assert.ok(typeof found !== 'string', text);
  return found;
};

describe('the address of a team that a person types', () => {
  it('is refused with the reason', () => {
    const refused: [string, string][] = [
      ['db.example.org', 'not_postgres'],
      ['https://db.example.org/team', 'not_postgres'],
      ['postgres://alice:secret@db.example.org/team', 'password'],
      ['postgres://alice@db.example.org/team?password=secret', 'password'],
      ['postgres://alice@db.example.org', 'no_database'],
      ['postgres://alice@db.example.org/', 'no_database'],
    ];
    assert.deepEqual(
      refused.map(([text]) => [text, parseTyped(text)]),
      refused,
    );
  });

  it('names the user, or gets one', () => {
    const address = parsed(' postgres://db.example.org:6432/team?sslrootcert=/ca.pem ');
    assert.equal(address.user, '');
    assert.equal(withUser(address, 'ann lee'), 'postgres://ann%20lee@db.example.org:6432/team?sslrootcert=/ca.pem');
    assert.equal(parsed('postgres://ann%20lee@db.example.org/team').user, 'ann lee');
  });

  it('is reached with a verified certificate unless it is on the same machine or says otherwise', () => {
    const security = (text: string) => parsed(text).security;
    assert.equal(security('postgres://db.example.org/team'), 'verified');
    assert.equal(security('postgres://127.0.0.1:5433/team'), 'same_machine');
    assert.equal(security('postgres://[::1]/team'), 'same_machine');
    assert.equal(security('postgres://localhost/team?sslmode=verify-full'), 'verified');
    assert.equal(security('postgres://db.example.org/team?sslmode=disable'), 'unencrypted');
  });
});
