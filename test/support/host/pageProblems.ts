import { setTimeout as delay } from 'node:timers/promises';
import type { Frame, Page } from 'playwright-core';

const maxProblems = 8;
const maxText = 1500;
const problems = new WeakMap<Page, string[]>();

/** From now on, records the latest errors and failed requests of a page and its frames. */
export function collectProblems(page: Page): void {
  const latest: string[] = [];
  problems.set(page, latest);
  const note = (problem: string): void => {
    latest.push(problem.slice(0, 300));
    if (latest.length > maxProblems) latest.shift();
  };
  page.on('console', (message) => message.type() === 'error' && note(`console: ${message.text()}`));
  page.on('pageerror', ({ message }) => note(`error: ${message}`));
  page.on('requestfailed', (request) => note(`failed: ${request.url()} ${request.failure()?.errorText ?? ''}`));
  page.on('response', (response) => response.status() >= 400 && note(`${response.status()}: ${response.url()}`));
}

/** Problems of a page and what its webviews show, for the report of a failed test. */
export async function describePage(page: Page): Promise<string> {
  const frames = page.frames().filter((frame) => frame.url().includes('/webview/browser/pre/'));
  const texts = await Promise.all(frames.map((frame) => Promise.race([textOf(frame), delay(2000, '')])));
  return [...(problems.get(page) ?? []), ...texts.filter((text) => text !== '')]
    .map((line) => `  | ${line}`)
    .join('\n');
}

/** The beginning and the end of what a frame shows. */
async function textOf(frame: Frame): Promise<string> {
  const text = await frame.evaluate(() => document.body.innerText).catch(() => '');
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= maxText ? line : `${line.slice(0, maxText / 2)} … ${line.slice(-maxText / 2)}`;
}
