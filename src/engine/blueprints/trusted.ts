import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { writeWhole } from '../files/writeFiles.ts';
import { blueprintsFolder, loadBlueprints, type Blueprint } from './load.ts';

/** Files that are remembered, the newest. */
const maxTrusted = 1000;
const trustSchema = z.object({ trusted: z.array(z.object({ file: z.string(), sha256: z.string() })) });
type Trusted = z.infer<typeof trustSchema>['trusted'];

/** Blueprints of a folder and of the user. `home`: of the user, where it is known. */
export async function blueprintsIn(folder: string, home: string | undefined): Promise<readonly Blueprint[]> {
  const here = { folder: path.join(folder, blueprintsFolder), level: 'workspace' } as const;
  if (home === undefined) return loadBlueprints([here]);
  const own = { folder: path.join(home, blueprintsFolder), level: 'user' } as const;
  // In the home folder both are one, and what is there is the user's.
  return loadBlueprints((await isSame(here.folder, own.folder)) ? [own] : [here, own]);
}

/** Of a user with this environment. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env['HOME'] ?? env['USERPROFILE'];
}

async function isSame(a: string, b: string): Promise<boolean> {
  const places = await Promise.all([a, b].map((folder) => realpath(folder).catch(() => path.resolve(folder))));
  return places[0] === places[1];
}

/** Where a repository's blueprint can start a program, read a secret or stand for another one of the user. */
export function needsTrust({ level, agent, name }: Blueprint, all: readonly Blueprint[]): boolean {
  if (level !== 'workspace' || agent === null) return false;
  return Object.keys(agent.mcp_servers).length > 0 || ownOf(name, all) !== undefined;
}

/** The user's own of that name. */
export function ownOf(name: string, all: readonly Blueprint[]): Blueprint | undefined {
  return all.find((each) => each.level === 'user' && each.name === name);
}

/** Those that need trust and do not have it cannot be started: they say how to give it. */
export async function onlyTrusted(all: readonly Blueprint[], home: string | undefined): Promise<readonly Blueprint[]> {
  const trusted = await readTrusted(home);
  return all.map((blueprint) => {
    if (!needsTrust(blueprint, all) || isIn(trusted, blueprint)) return blueprint;
    const start = { line: 0, character: 0 };
    const command = `vitrine run --blueprint ${blueprint.name} --trust-blueprint`;
    const message = `This agent comes from the repository, and you have not trusted its current version. Read it, then run: ${command}`;
    return { ...blueprint, agent: null, problems: [{ severity: 'error', message, from: start, to: start }] };
  });
}

/** Whether the user trusts the file as it is now. */
export async function isTrusted(blueprint: Blueprint, home: string | undefined): Promise<boolean> {
  return isIn(await readTrusted(home), blueprint);
}

/** Keeps that the user trusts the file as it is now. */
export async function rememberTrust(blueprint: Blueprint, home: string | undefined): Promise<void> {
  if (home === undefined) return;
  const file = trustFile(home);
  const others = (await readTrusted(home)).filter((each) => each.file !== blueprint.file);
  const trusted = [...others, { file: blueprint.file, sha256: digestOf(blueprint) }].slice(-maxTrusted);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, [`${JSON.stringify({ trusted }, undefined, 2)}\n`]);
}

function isIn(trusted: Trusted, blueprint: Blueprint): boolean {
  const sha256 = digestOf(blueprint);
  return trusted.some((each) => each.file === blueprint.file && each.sha256 === sha256);
}

/** Of all that it says: a blueprint that was changed is another one. */
function digestOf({ agent }: Blueprint): string {
  const said = { ...agent, created_at: undefined, modified_at: undefined };
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}

/** Beside the blueprints of the user. */
function trustFile(home: string): string {
  return path.join(home, '.vitrine', 'trusted-agents.json');
}

async function readTrusted(home: string | undefined): Promise<Trusted> {
  if (home === undefined) return [];
  try {
    return trustSchema.parse(JSON.parse(await readFile(trustFile(home), 'utf8'))).trusted;
  } catch {
    return [];
  }
}
