import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { writeWhole } from '../files/writeFiles.ts';
import { blueprintsFolder, loadBlueprints, type Blueprint } from './load.ts';

/** Maximum number of remembered files; the oldest are dropped. */
const maxTrusted = 1000;
const trustSchema = z.object({ trusted: z.array(z.object({ file: z.string(), sha256: z.string() })) });
type TrustedFiles = z.infer<typeof trustSchema>['trusted'];

/** Agent files of a folder and of the user. `home`: the user's home folder, if known. */
export async function blueprintsIn(folder: string, home: string | undefined): Promise<readonly Blueprint[]> {
  const workspaceFolder = { folder: path.join(folder, blueprintsFolder), level: 'workspace' } as const;
  if (home === undefined) return loadBlueprints([workspaceFolder]);
  const own = { folder: path.join(home, blueprintsFolder), level: 'user' } as const;
  // In the home folder, both are the same and belong to the user.
  return loadBlueprints((await isSame(workspaceFolder.folder, own.folder)) ? [own] : [workspaceFolder, own]);
}

/** Home folder according to these environment variables. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env['HOME'] ?? env['USERPROFILE'];
}

async function isSame(a: string, b: string): Promise<boolean> {
  const places = await Promise.all([a, b].map((folder) => realpath(folder).catch(() => path.resolve(folder))));
  return places[0] === places[1];
}

/** Whether an agent file of a repository can start a program, read a secret or replace one of the user's agents. */
export function needsTrust({ level, agent, name }: Blueprint, all: readonly Blueprint[]): boolean {
  if (level !== 'workspace' || agent === null) return false;
  return Object.keys(agent.mcp_servers).length > 0 || findUserBlueprint(name, all) !== undefined;
}

/** The user's own agent of that name. */
export function findUserBlueprint(name: string, all: readonly Blueprint[]): Blueprint | undefined {
  return all.find((blueprint) => blueprint.level === 'user' && blueprint.name === name);
}

/** Blocks agent files that need trust and do not have it. Their problem explains how to trust them. */
export async function filterTrusted(
  all: readonly Blueprint[],
  home: string | undefined,
): Promise<readonly Blueprint[]> {
  const trusted = await readTrusted(home);
  return all.map((blueprint) => {
    if (!needsTrust(blueprint, all) || isTrustedIn(trusted, blueprint)) return blueprint;
    const start = { line: 0, character: 0 };
    const command = `vitrine run --blueprint ${blueprint.name} --trust-blueprint`;
    const message = `This agent comes from the repository, and you have not trusted its current version. Read it, then run: ${command}`;
    return { ...blueprint, agent: null, problems: [{ severity: 'error', message, from: start, to: start }] };
  });
}

/** Whether the user trusts the current content of the file. */
export async function isTrusted(blueprint: Blueprint, home: string | undefined): Promise<boolean> {
  return isTrustedIn(await readTrusted(home), blueprint);
}

/** Remembers that the user trusts the current content of the file. */
export async function rememberTrust(blueprint: Blueprint, home: string | undefined): Promise<void> {
  if (home === undefined) return;
  const file = trustFile(home);
  const others = (await readTrusted(home)).filter((trust) => trust.file !== blueprint.file);
  const trusted = [...others, { file: blueprint.file, sha256: digestOf(blueprint) }].slice(-maxTrusted);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, [`${JSON.stringify({ trusted }, undefined, 2)}\n`]);
}

function isTrustedIn(trusted: TrustedFiles, blueprint: Blueprint): boolean {
  const sha256 = digestOf(blueprint);
  return trusted.some((trust) => trust.file === blueprint.file && trust.sha256 === sha256);
}

/** Covers all fields: a changed agent file needs trust again. */
function digestOf({ agent }: Blueprint): string {
  const content = { ...agent, created_at: undefined, modified_at: undefined };
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Next to the user's agent files. */
function trustFile(home: string): string {
  return path.join(home, '.vitrine', 'trusted-agents.json');
}

async function readTrusted(home: string | undefined): Promise<TrustedFiles> {
  if (home === undefined) return [];
  try {
    return trustSchema.parse(JSON.parse(await readFile(trustFile(home), 'utf8'))).trusted;
  } catch {
    return [];
  }
}
