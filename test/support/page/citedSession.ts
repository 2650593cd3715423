import type { LoadOptions } from './fakeHost.ts';
import { projectDir, Script, view } from './madeUp.ts';

const retry = [
  'export const BASE_DELAY = 250;',
  '/** Full jitter: anywhere between 0 and the exponential ceiling. */',
  'export function nextDelay(attempt: number): number {',
  '  const ceiling = Math.min(MAX_DELAY, BASE_DELAY * 2 ** attempt);',
  '  return Math.floor(Math.random() * ceiling);',
  '}',
].join('\n');

export const answer = [
  'The delay is random: `src/upload/retry.ts:3-5` draws it. I ran `npx vitest run test/upload.spec.ts` and it exited with 1.',
  '',
  '- Fake timers leave `Math.random` alone, says [the manual](https://vitest.dev/api/vi.html).',
  '- The rule is in `docs/retry.md`, which I read.',
].join('\n');

/** A session whose answers cite a file, a command and pages, and something that no step read. */
export function citedSession(
  files: Readonly<Record<string, string>> = { 'src/upload/retry.ts': `// new\n${retry}` },
): LoadOptions {
  const script = new Script();
  script.turn('Why does it fail?');
  script.tool('Read', { kind: 'file_read', path: `${projectDir}/src/upload/retry.ts`, totalLines: 6 }, 0.2, {
    result: { text: retry },
  });
  script.tool(
    'Bash',
    { kind: 'command_run', command: 'npx vitest run test/upload.spec.ts', exitCode: 1, stdout: ' 1 failed | 2 passed' },
    4,
    { status: 'failed' },
  );
  script.tool('WebFetch', { kind: 'web_fetch', url: 'https://vitest.dev/api/vi.html' }, 1, {
    result: { text: 'By default, all methods are mocked.' },
  });
  script.addMessage(answer);
  const sourceTitle = '<img src=x onerror=alert(1)> \u202eevil';
  script.add({
    type: { kind: 'assistant_message' },
    content: 'Delays are random by design.',
    metadata: {
      annotations: [
        { kind: 'citation', start_index: 0, end_index: 17, url: 'https://example.com/jitter', title: sourceTitle },
        { kind: 'citation', start_index: 18, end_index: 27, url: 'javascript:alert(1)', title: 'A title' },
      ],
    },
  });
  const { entries, turns } = script;
  return { entries, view: view({ turns }, { entries: entries.length }), files };
}
