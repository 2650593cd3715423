import assert from 'node:assert/strict';
import { editBlueprint } from '../../../../src/formats/blueprint/edit.ts';

const off = (text: string): string | undefined => editBlueprint(text, { status: 'inactive' });

describe('a field of a blueprint', () => {
  const texts: readonly (readonly [what: string, text: string, wanted: string | undefined])[] = [
    ['a value, with its comment', "a: 'x'\nstatus: active # for now\n", "a: 'x'\nstatus: inactive # for now\n"],
    ['a quoted value', 'status: "active"\n', 'status: "inactive"\n'],
    [
      'at the end, below comments',
      '# top\na:   [1,  2] # c\n# end\n',
      '# top\na:   [1,  2] # c\n# end\nstatus: inactive\n',
    ],
    ['after a text of several lines', 'p: |\n  one\n  two\n', 'p: |\n  one\n  two\nstatus: inactive\n'],
    ['without a last line end', 'a: 1', 'a: 1\nstatus: inactive\n'],
    ['with the line ends of the file', 'a: 1\r\n', 'a: 1\r\nstatus: inactive\r\n'],
    ['indented', '  a: 1\n  b: 2\n', '  a: 1\n  b: 2\n  status: inactive\n'],
    ['in JSON', '{\n  "a": {"b": 1}\n}\n', '{\n  "a": {"b": 1},\n  "status": "inactive"\n}\n'],
    ['in JSON, in place', '{"status":"active","a":1}', '{"status":"inactive","a":1}'],
    ['in JSON on one line', '{ "a": 1 }', '{ "a": 1, "status": "inactive" }'],
    ['in JSON with nothing', '{}', '{"status": "inactive"}'],
    ['not below another document', 'a: 1\n---\nb: 1\n', undefined],
    ['not after the end of the document', 'a: 1\n...\n', undefined],
    ['not where it would change another', 'a: &x active\nstatus: *x\n', undefined],
    ['not in a list', '- a\n', undefined],
    ['not in invalid YAML', 'a: [1\n', undefined],
  ];
  for (const [what, text, wanted] of texts) {
    it(`is set ${what}`, () => assert.equal(off(text), wanted));
  }

  it('can be set and reset without a trace', () => {
    const text = '# reviewer\nstatus:   active   # on\ntags: [ a,b ]\n';
    assert.equal(editBlueprint(off(text) ?? '', { status: 'active' }), text);
  });

  it('is not added if only present fields are to be changed', () => {
    const fields = { name: 'other', modified_at: '2026-11-22T00:00:00.000Z' };
    assert.equal(editBlueprint('name: one\n', fields, { onlyExisting: true }), 'name: other\n');
  });

  it('stays a string, whatever it looks like', () => {
    assert.equal(editBlueprint('name: one\n', { name: '123' }), 'name: "123"\n');
    assert.equal(editBlueprint('name: one\n', { name: 'true' }), 'name: "true"\n');
  });
});
