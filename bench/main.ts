/**
 * Runs the benchmarks, prints a table and writes bench/results/<time>.json. Rows are explained in docs/development/benchmarks.md.
 * With names of cases, runs only those and writes nothing.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { repository } from '../test/support/host/install/cache.mjs';
import { activation } from './activation.ts';
import { activationInWindow } from './activationInWindow.ts';
import { catalogue } from './records/catalogue.ts';
import { attackedDaemon } from './daemon/attacked.ts';
import { daemonIdle } from './daemon/idle.ts';
import { daemonLatency, daemonStreams } from './daemon/latency.ts';
import { daemonMemory } from './daemon/memory.ts';
import { daemonStart } from './daemon/start.ts';
import { windowIdle } from './daemon/windowIdle.ts';
import { drawing } from './page/drawing.ts';
import { evidence } from './records/evidence.ts';
import { growth } from './records/growth.ts';
import type { Row } from './harness.ts';
import { hugeLine, ingestion } from './output/ingest.ts';
import { listing } from './records/listing.ts';
import { markdown } from './page/markdown.ts';
import { metadata } from './output/metadata.ts';
import { normalizers } from './output/normalizers.ts';
import { openRecord } from './records/openRecord.ts';
import { pageAnswer, pageAppend, pageElements, pageFirst } from './page/page.ts';
import { againstPeer } from './output/peer.ts';
import { posted } from './page/posted.ts';
import { recordLines } from './records/recordLines.ts';
import { copyFiles } from './records/restore.ts';
import { review } from './records/review.ts';
import { scale } from './scale/scale.ts';
import { sizes } from './sizes.ts';
import { teamClaims } from './team/claims.ts';
import { teamGrowth } from './team/growth.ts';
import { teamMachines } from './team/machines.ts';

const digits = { '×': 2, ms: 1, kB: 1, MB: 1, '%': 3, elements: 0 } as const;
const figure = ({ unit }: Row, value: number): string => `${value.toFixed(digits[unit])} ${unit}`;

function print(row: Row): void {
  const verdict = row.value <= row.goal ? 'ok' : 'MISSED';
  const cells = [
    row.name.padEnd(56),
    figure(row, row.value).padStart(10),
    `≤ ${figure(row, row.goal)}`.padEnd(12),
    verdict.padEnd(6),
  ];
  console.log(`${cells.join('  ')}  ${row.detail}`);
}

type Case = () => readonly Row[] | Promise<Row | readonly Row[]>;
const cases: Readonly<Record<string, Case>> = {
  ingestion,
  againstPeer,
  normalizers,
  hugeLine,
  openRecord,
  recordLines,
  listing,
  catalogue,
  metadata,
  markdown,
  posted,
  drawing,
  pageFirst,
  pageElements,
  pageAppend,
  pageAnswer,
  evidence,
  growth,
  review,
  copyFiles,
  daemonLatency,
  daemonStreams,
  daemonMemory,
  daemonStart,
  attackedDaemon,
  daemonIdle,
  windowIdle,
  teamClaims,
  teamGrowth,
  teamMachines,
  activation,
  activationInWindow,
  sizes,
};
/** Takes too long to run with the others. */
const onRequest: Readonly<Record<string, Case>> = { scale };
const wanted = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, measure] of Object.entries({ ...cases, ...onRequest })) {
  if (wanted.length === 0 ? name in onRequest : !wanted.includes(name)) continue;
  for (const row of [await measure()].flat()) {
    print(row);
    rows.push(row);
  }
}

const machine = { cores: availableParallelism(), platform: process.platform, node: process.version };
const about = `${machine.cores} cores, ${machine.platform}, Node ${machine.node}`;
if (wanted.length > 0) {
  console.log(`\n${about}`);
} else {
  const date = new Date().toISOString();
  const folder = path.join(repository, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${date.replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ date, machine, rows }, null, 2)}\n`);
  console.log(`\n${about}; written to ${path.relative('', file)}`);
}
