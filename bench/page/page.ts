import type { CDPSession, Page } from 'playwright-core';
import { countElements, waitForFrames, PageTests } from '../../test/support/page/open.ts';
import { type Row, median } from '../harness.ts';

const [extensive, short] = [100_000, 100];
/** An index after the end of a long session. */
const next = extensive;

/** Runs the page in a browser, with a host in the same thread that plays the session. */
async function inBrowser<T>(measure: (tests: PageTests) => Promise<T>): Promise<T> {
  const tests = new PageTests();
  await tests.start();
  try {
    return await measure(tests);
  } finally {
    await tests.close();
  }
}

export const pageFirst = (): Promise<Row[]> => inBrowser(firstPage);
export const pageElements = (): Promise<Row> => inBrowser(mostElements);
export const pageAppend = (): Promise<Row[]> => inBrowser(appending);
export const pageAnswer = (): Promise<Row> => inBrowser(answers);

async function firstPage(tests: PageTests): Promise<Row[]> {
  const times: Record<'long' | 'short', number[]> = { long: [], short: [] };
  const turns = 7;
  const measure = async (entries: number): Promise<number> => {
    const page = await tests.open();
    const session = await profiled(page);
    await page.evaluate((count) => window.host.storeLongState(count), entries);
    await waitForFrames(page, 30);
    const started = await worked(session);
    await page.evaluate(async () => {
      window.host.begin();
      while (document.querySelector('.rb') === null) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
    const time = (await worked(session)) - started;
    await page.close();
    return time;
  };
  for (let turn = 0; turn < turns; turn += 1) {
    times.long.push(await measure(extensive));
    times.short.push(await measure(short));
  }
  const [long, brief] = [median(times.long), median(times.short)];
  const detail = `${long.toFixed(0)} ms with 100,000 entries, ${brief.toFixed(0)} ms with 100, of the page's thread`;
  return [
    { name: 'page: first rows, 100,000 entries / 100', value: long / brief, unit: '×', goal: 1.5, detail },
    { name: 'page: first rows, 100,000 entries', value: long, unit: 'ms', goal: 150, detail },
  ];
}

async function openLong(tests: PageTests, live = false): Promise<Page> {
  const page = await tests.open();
  page.setDefaultTimeout(120_000);
  await page.evaluate(([count, isLive]) => window.host.loadLong(count, isLive), [extensive, live] as const);
  await page.waitForSelector('main[aria-busy=false]');
  await waitForFrames(page, 5);
  return page;
}

/** Selectors of the elements of each view, and what must exist before they are counted. */
const views = [
  ['Transcript', '.rb'],
  ['Trajectory', '.trow'],
  ['Files', '.frow'],
  ['Sources', '.srct tbody tr'],
] as const;

async function mostElements(tests: PageTests): Promise<Row> {
  const page = await openLong(tests);
  const counts = new Map<string, number>();
  for (const [name, row] of views) {
    await page.getByRole('tab', { name }).click();
    await page.waitForSelector(row);
    for (const share of [0, 0.5, 1]) {
      await page.evaluate((to) => {
        for (const element of document.querySelectorAll('.scroll, .wfb, .tblb')) {
          element.scrollTop = to * (element.scrollHeight - element.clientHeight);
        }
      }, share);
      await waitForFrames(page, 5);
      counts.set(name, Math.max(counts.get(name) ?? 0, await countElements(page)));
    }
  }
  await page.close();
  const detail = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  const value = Math.max(...counts.values());
  return { name: 'page: elements of any view, 100,000 entries', value, unit: 'elements', goal: 2000, detail };
}

/** Processor time of the page's thread in ms, including the host. */
interface PageTask {
  /** Scripts, styles and layout. */
  readonly placing: number;
  /** Including painting. */
  readonly whole: number;
}

async function workOf(session: CDPSession): Promise<PageTask> {
  const { metrics } = await session.send('Performance.getMetrics');
  const ms = (wanted: string): number => 1000 * (metrics.find(({ name }) => name === wanted)?.value ?? NaN);
  // Durations do not include each other.
  const placing = ms('ScriptDuration') + ms('RecalcStyleDuration') + ms('LayoutDuration');
  return { placing, whole: ms('TaskDuration') };
}

async function worked(session: CDPSession): Promise<number> {
  return (await workOf(session)).whole;
}

async function profiled(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  // Processor time; wall-clock time would depend on other processes.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return session;
}

/** Runs in the browser: adds one entry at the host. Returns its size in bytes. */
function entryCount(index: number): number {
  window.host.hold();
  return window.host.addOne(index);
}

/**
 * Runs in the browser: time from posting an entry until it is drawn, and the next two frames, in which the page learns
 * its new scroll position. Without an index, only the frames. Returns the milliseconds until the entry is visible.
 */
async function arrived(index: number | undefined): Promise<number> {
  const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
  const started = performance.now();
  let painted = 0;
  if (index !== undefined) {
    const drawn = new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector(`[data-key="e:${index}"]`) === null) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    window.host.release();
    await drawn;
    // A task that starts after the frame is drawn.
    const { port1, port2 } = new MessageChannel();
    const after = new Promise((resolve) => (port1.onmessage = resolve));
    port2.postMessage(undefined);
    await after;
    painted = performance.now() - started;
  }
  for (let n = 0; n < 2; n++) await frame();
  return painted;
}

async function appending(tests: PageTests): Promise<Row[]> {
  const page = await openLong(tests, true);
  const session = await profiled(page);
  const appends = 200;
  const painted: number[] = [];
  const [times, empty]: [PageTask[], PageTask[]] = [[], []];
  const during = async (act: () => Promise<unknown>): Promise<PageTask> => {
    const before = await workOf(session);
    await act();
    const { placing, whole } = await workOf(session);
    return { placing: placing - before.placing, whole: whole - before.whole };
  };
  const before = await page.evaluate(() => window.host.posted.bytes);
  let content = 0;
  for (let n = 0; n < appends; n += 1) {
    content += await page.evaluate(entryCount, next + n);
    times.push(await during(async () => painted.push(await page.evaluate(arrived, next + n))));
    if (n % 10 === 0) empty.push(await during(() => page.evaluate(arrived, undefined)));
  }
  const bytes = (await page.evaluate(() => window.host.posted.bytes)) - before;
  await page.close();
  const spent = (part: keyof PageTask): number[] => {
    const measuring = median(empty.map((work) => work[part]));
    return times.map((work) => work[part] - measuring);
  };
  const [placing, whole] = [spent('placing'), spent('whole')];
  return [
    {
      name: 'page: append to 100,000 entries, p95',
      value: p95(placing),
      unit: 'ms',
      goal: 8,
      detail: `scripts, styles and layout, median ${median(placing).toFixed(1)} ms; with painting ${p95(whole).toFixed(1)} ms, median ${median(whole).toFixed(1)} ms; two frames in which nothing comes are taken off`,
    },
    {
      name: 'page: append, until it is on screen, p95',
      value: p95(painted),
      unit: 'ms',
      goal: 33,
      detail: `median ${median(painted).toFixed(0)} ms, mostly waiting for the next frame`,
    },
    {
      name: 'posted: steps and messages at 100,000 entries',
      value: bytes / content,
      unit: '×',
      goal: 1.5,
      detail: `${(bytes / 1000).toFixed(0)} kB for ${(content / 1000).toFixed(0)} kB of new entries, each drawn before the next`,
    },
  ];
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(0.95 * values.length)] ?? NaN;
}

/** The page's work on a streamed answer, twice the text compared with half. */
async function answers(tests: PageTests): Promise<Row> {
  const page = await openLong(tests, true);
  const session = await profiled(page);
  const turns = 3;
  let index = next;
  const stream = async (chars: number): Promise<number> => {
    const at = index;
    index += 1;
    const started = await worked(session);
    await page.evaluate(([to, length]) => window.host.streamLong(to, length), [at, chars] as const);
    return (await worked(session)) - started;
  };
  await stream(100_000);
  const [whole, half]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    whole.push(await stream(1_000_000));
    half.push(await stream(500_000));
  }
  await page.close();
  const value = median(whole.map((time, turn) => time / (half[turn] ?? NaN)));
  return {
    name: 'page: answer of 1 MB streamed, against 500 KB',
    value,
    unit: '×',
    goal: 2.5,
    detail: `${median(whole).toFixed(0)} ms and ${median(half).toFixed(0)} ms in pieces of 20 characters, 40 to a frame`,
  };
}
