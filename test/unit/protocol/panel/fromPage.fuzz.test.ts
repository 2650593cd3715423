import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type FromPage, pageCommands } from '../../../../src/protocol/panel/messages.ts';
import { parseFromPage } from '../../../../src/protocol/panel/fromPageSchema.ts';
import { mutateLines, mutation } from '../../../support/hostile/damage.ts';
import { fuzzOptions, printFuzzTotals } from '../../../support/hostile/fuzz.ts';

const wish = { query: 'tool:Bash', kinds: [], repeats: false, sort: 'time', closed: ['lane'] } as const;

/** One of every type: the compiler asks for those that are added. */
const messages: { readonly [Type in FromPage['type']]: Extract<FromPage, { readonly type: Type }> } = {
  ready: { type: 'ready' },
  resync: { type: 'resync' },
  ack: { type: 'ack', seq: 4 },
  getPage: { type: 'getPage', request: 1, from: 0, count: 100 },
  getEntry: { type: 'getEntry', request: 1, index: 3 },
  getEvidence: { type: 'getEvidence', request: 1, index: 3, link: 0 },
  getSources: { type: 'getSources', request: 1, from: 0, count: 100, query: 'src menu' },
  find: { type: 'find', request: 1, query: 'tea', from: 0 },
  send: { type: 'send', text: 'Continue.', how: 'queue' },
  typing: { type: 'typing' },
  takeBack: { type: 'takeBack', id: 1 },
  answer: { type: 'answer', id: 'a', answer: { kind: 'allow', scope: 'once' } },
  stop: { type: 'stop' },
  pickPrompt: { type: 'pickPrompt' },
  keepDetail: { type: 'keepDetail', detail: 'answers' },
  openRecalled: { type: 'openRecalled', index: 3, passage: 1 },
  openFile: { type: 'openFile', path: 'src/menu.js', line: 3, endLine: 5 },
  openDiff: { type: 'openDiff', index: 3 },
  openLink: { type: 'openLink', url: 'https://example.com/' },
  copy: { type: 'copy', text: 'copied' },
  command: { type: 'command', command: 'rename' },
  getTrajectory: { type: 'getTrajectory', request: 1, from: 0, count: 50, wish, around: 2 },
  getFiles: { type: 'getFiles', request: 1, from: 0, count: 50, query: '', sort: 'first' },
  getSince: { type: 'getSince', request: 1, paths: ['src/menu.js'] },
  getEditPreviews: { type: 'getEditPreviews', request: 1, id: 'a' },
  openFileChanges: { type: 'openFileChanges', path: 'src/menu.js' },
  openAllChanges: { type: 'openAllChanges' },
  getLedger: { type: 'getLedger', request: 1 },
  getResume: { type: 'getResume', request: 1 },
  getMessageFigures: { type: 'getMessageFigures', request: 1, indexes: [0, 4] },
};
const envelopes = Object.values(messages).map((message) => ({ generation: 1, seq: 2, message }));

/** Nothing but what the contract names, within its bounds. */
function assertWithin(message: FromPage, input: unknown): void {
  assert.ok(message.type in messages, message.type);
  assert.deepEqual(
    Object.keys(message).filter((key) => !(key in messages[message.type])),
    [],
  );
  assert.ok(JSON.stringify(message).length <= JSON.stringify(input).length + 20, 'nothing is made up');
  if (message.type === 'openLink') assert.match(message.url, /^https?:/i);
  if (message.type === 'command') assert.ok(pageCommands.includes(message.command));
  if (message.type === 'answer' && message.answer.kind === 'allow')
    assert.ok(['once', 'session'].includes(message.answer.scope));
  if ('request' in message) assert.ok(Number.isSafeInteger(message.request) && message.request >= 0);
  if ('index' in message) assert.ok(Number.isSafeInteger(message.index) && message.index >= 0);
}

describe('damaged messages of the page', () => {
  it('are accepted if valid', () => {
    for (const envelope of envelopes) assert.deepEqual(parseFromPage(envelope), envelope);
  });

  it('are rejected, or within the contract, however they are changed', () => {
    const changed = fc.record({
      envelope: fc.constantFrom(...envelopes.map((envelope) => JSON.stringify(envelope))),
      changes: fc.array(mutation, { minLength: 1, maxLength: 4 }),
    });
    let taken = 0;
    let posted = 0;
    fc.assert(
      fc.property(changed, ({ envelope, changes }) => {
        for (const text of changes.reduce(mutateLines, [envelope])) {
          let data: unknown = text;
          try {
            data = JSON.parse(text);
          } catch {
            // Posted as the text it is.
          }
          posted += 1;
          const parsed = parseFromPage(data);
          if (parsed === undefined) continue;
          taken += 1;
          assertWithin(parsed.message, data);
        }
      }),
      fuzzOptions(4000),
    );
    assert.ok(taken > 0);
    printFuzzTotals(`${posted} changed messages, ${taken} still within the contract`);
  });

  it('with arbitrary values are rejected', () => {
    fc.assert(
      fc.property(fc.anything(), (data) => assert.equal(parseFromPage(data), undefined)),
      fuzzOptions(1000),
    );
  });
});
