/** Measures, prints a table and writes bench/results/<time>.json. What each line means: docs/benchmarks.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { repository } from '../test/support/host/cache.mjs';
import { activation } from './activation.ts';
import { evidence } from './evidence.ts';
import type { Row } from './harness.ts';
import { hugeLine, ingestion } from './ingest.ts';
import { markdown } from './markdown.ts';
import { normalizers } from './normalizers.ts';
import { openRecord } from './openRecord.ts';
import { againstPeer } from './peer.ts';
import { recordLines } from './recordLines.ts';
import { sizes } from './sizes.ts';

const figure = ({ unit }: Row, value: number): string => `${value.toFixed(unit === '×' ? 2 : 1)} ${unit}`;

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
const cases: readonly Case[] = [
  ingestion,
  againstPeer,
  normalizers,
  hugeLine,
  openRecord,
  recordLines,
  markdown,
  evidence,
  activation,
  sizes,
];
const rows: Row[] = [];
for (const measure of cases) {
  for (const row of [await measure()].flat()) {
    print(row);
    rows.push(row);
  }
}

const date = new Date().toISOString();
const machine = { cores: availableParallelism(), platform: process.platform, node: process.version };
const folder = path.join(repository, 'bench/results');
mkdirSync(folder, { recursive: true });
const file = path.join(folder, `${date.replaceAll(':', '-')}.json`);
writeFileSync(file, `${JSON.stringify({ date, machine, rows }, null, 2)}\n`);
console.log(
  `\n${machine.cores} cores, ${machine.platform}, Node ${machine.node}; written to ${path.relative('', file)}`,
);
