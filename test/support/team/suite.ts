import type { Suite } from 'mocha';
import { skip } from '../skip.ts';
import { noServerReason, removeTeamServer } from './server.ts';

// Root hook: once, after all tests of this process.
after(removeTeamServer);

/** For suites that need the server: skips them where none can run. */
export function useTeamServer(suite: Suite): void {
  // Other suites may need the processor.
  suite.timeout(300_000);
  const reason = noServerReason();
  if (reason === null) return;
  suite.beforeEach(function () {
    skip(this, reason);
  });
}
