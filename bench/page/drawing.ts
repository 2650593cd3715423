import { repeatTo } from '../../test/support/hostile/growing.ts';
import { Script, view } from '../../test/support/page/madeUp.ts';
import type { LoadOptions } from '../../test/support/page/fakeHost.ts';
import { PageTests } from '../../test/support/page/open.ts';
import { type Row, median } from '../harness.ts';

const prose =
  '## What I changed\n\nThe **retry delay** is now read from `retry.ts`, see [the notes](docs/notes.md).\n\n' +
  '- one more test\n- *two* fewer timers\n\n| file | lines |\n| --- | --- |\n| a.ts | 4 |\n| b.ts | 7 |\n\n' +
  '```ts\nexport const delay = (attempt: number) => 2 ** attempt * 100;\n```\n\n';

/** Long messages, by what they consist of. */
const longMessages: Readonly<Record<string, string>> = {
  'links, 60 KB': repeatTo('[a](b) ', 60_000),
  'code, 60 KB': repeatTo('`a` ', 60_000),
  'Markdown, 60 KB': repeatTo(prose, 60_000),
  'emphasis, 60 KB': repeatTo('_a_', 60_000),
  'one word, 1 MB': 'x'.repeat(1_000_000),
};

/** Milliseconds from the session's first message until its text is on the screen. Runs in the browser. */
async function untilDrawn(): Promise<number> {
  const started = performance.now();
  const drawn = new Promise<void>((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('.scroll .prose') === null) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
  window.host.begin();
  await drawn;
  // A task that starts after the frame is drawn.
  const { port1, port2 } = new MessageChannel();
  const after = new Promise((resolve) => (port1.onmessage = resolve));
  port2.postMessage(undefined);
  await after;
  return performance.now() - started;
}

/** A session with one message, in a new page. */
async function drawingTime(tests: PageTests, text: string): Promise<number> {
  const script = new Script();
  script.turn('Go.');
  script.addMessage(text);
  const { entries, turns } = script;
  const page = await tests.open();
  const options: LoadOptions = { entries, view: view({ turns }, { entries: entries.length }) };
  await page.evaluate((session) => window.host.keep(session), options);
  const time = await page.evaluate(untilDrawn);
  await page.close();
  return time;
}

/** From a long message to what is first seen of it, in a page that has drawn nothing yet. */
export async function drawing(): Promise<Row[]> {
  const tests = new PageTests();
  await tests.start();
  try {
    const rows: Row[] = [];
    for (const [name, text] of Object.entries(longMessages)) {
      const times: number[] = [];
      for (let turn = 0; turn < 5; turn += 1) times.push(await drawingTime(tests, text));
      const detail = `${times.map((time) => time.toFixed(0)).join(', ')} ms`;
      rows.push({ name: `page: first drawing of ${name}`, value: median(times), unit: 'ms', goal: 200, detail });
    }
    return rows;
  } finally {
    await tests.close();
  }
}
