import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import { ClientContexts } from '../../../../src/daemon/clients/contexts.ts';
import type { ClientContext } from '../../../../src/protocol/daemon/context.ts';

const root = path.resolve('/work');
const below = path.join(root, 'packages', 'a');

const context = (folder: string, variable: string, trusted = true): ClientContext => ({
  folder,
  trusted,
  environment: { VARIABLE: variable },
  settings: {},
});

describe('contexts of clients', () => {
  let contexts: ClientContexts;
  const variable = (folder: string): unknown => contexts.settings(folder).environment?.['VARIABLE'];
  beforeEach(() => (contexts = new ClientContexts()));

  it('apply to the folders below, and the most specific one counts', () => {
    contexts.add(context(root, 'root'), 'window');
    assert.deepEqual([variable(below), contexts.isTrusted(below)], ['root', true]);
    contexts.add(context(path.dirname(below), 'packages', false), 'window');
    assert.deepEqual([variable(below), contexts.isTrusted(below)], ['packages', false]);
    assert.equal(contexts.isTrusted(root), true);
    assert.equal(contexts.isTrusted(path.resolve('/workshop')), false);
  });

  it('of a window stay when a terminal starts a run there', () => {
    contexts.add(context(root, 'terminal'), 'terminal');
    contexts.add(context(root, 'window'), 'window');
    contexts.add(context(below, 'terminal'), 'terminal');
    assert.equal(variable(below), 'window');
  });

  it('of a run apply to that run only', async () => {
    contexts.add(context(root, 'window'), 'window');
    let later = (): unknown => undefined;
    const seen = await contexts.withContext(context(root, 'first'), async () => {
      await Promise.resolve();
      later = AsyncLocalStorage.bind(() => variable(root));
      return [variable(root), variable(path.resolve('/other'))];
    });
    assert.deepEqual(seen, ['first', undefined]);
    assert.equal(later(), 'window');
  });
});
