import assert from 'node:assert/strict';
import { logUnhandledRejections } from '../../../src/daemon/logFile.ts';

describe('the log of the daemon', () => {
  it('gets rejections that no code handles, so that they do not end the process', () => {
    const logged: string[] = [];
    const before = process.listeners('unhandledRejection');
    const rejections = logUnhandledRejections({ error: (message) => logged.push(message) });
    const [added, ...others] = process.listeners('unhandledRejection').filter((listener) => !before.includes(listener));
    assert.equal(others.length, 0);
    added?.(new Error('lost'), Promise.resolve());
    added?.('a text', Promise.resolve());
    rejections.dispose();
    assert.match(logged[0] ?? '', /^Unhandled rejection: Error: lost\n +at /);
    assert.deepEqual(logged.slice(1), ['Unhandled rejection: a text']);
    assert.deepEqual(process.listeners('unhandledRejection'), before);
  });
});
