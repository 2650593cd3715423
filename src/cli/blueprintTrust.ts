import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import * as z from 'zod';
import type { Blueprint } from '../engine/blueprints/load.ts';
import { writeWhole } from '../engine/wholeFile.ts';
import type { McpServer } from '../model/mcpServer.ts';
import { UsageError, type CliContext } from './command.ts';
import { visibleLine } from '../model/visibleText.ts';

/** Files that are remembered, the newest. */
const maxTrusted = 1000;
const trustSchema = z.object({ trusted: z.array(z.object({ file: z.string(), sha256: z.string() })) });
type Trusted = z.infer<typeof trustSchema>['trusted'];

/** Where a repository's blueprint can start a program, read a secret or stand for another one of the user. */
function needsTrust({ level, agent, name }: Blueprint, all: readonly Blueprint[]): boolean {
  if (level !== 'workspace' || agent === null) return false;
  return Object.keys(agent.mcp_servers).length > 0 || ownOf(name, all) !== undefined;
}

function ownOf(name: string, all: readonly Blueprint[]): Blueprint | undefined {
  return all.find((each) => each.level === 'user' && each.name === name);
}

/** Of all that it says: a blueprint that was changed is another one. */
function digestOf({ agent }: Blueprint): string {
  const said = { ...agent, created_at: undefined, modified_at: undefined };
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}

/** Beside the blueprints of the user. */
function trustFile({ env }: CliContext): string | undefined {
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home === undefined ? undefined : path.join(home, '.vitrine', 'trusted-agents.json');
}

async function readTrusted(context: CliContext): Promise<Trusted> {
  const file = trustFile(context);
  if (file === undefined) return [];
  try {
    return trustSchema.parse(JSON.parse(await readFile(file, 'utf8'))).trusted;
  } catch {
    return [];
  }
}

async function remember(context: CliContext, blueprint: Blueprint): Promise<void> {
  const file = trustFile(context);
  if (file === undefined) return;
  const others = (await readTrusted(context)).filter((each) => each.file !== blueprint.file);
  const trusted = [...others, { file: blueprint.file, sha256: digestOf(blueprint) }].slice(-maxTrusted);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeWhole(file, [`${JSON.stringify({ trusted }, undefined, 2)}\n`]);
}

/** Those that need trust and do not have it cannot be started: they say how to give it. */
export async function onlyTrusted(context: CliContext, all: readonly Blueprint[]): Promise<readonly Blueprint[]> {
  const trusted = await readTrusted(context);
  return all.map((blueprint) => {
    if (!needsTrust(blueprint, all) || isTrusted(blueprint, trusted)) return blueprint;
    const start = { line: 0, character: 0 };
    const message = `The repository brings this agent, and you have not trusted it as it is now. Read it, then: ${command(blueprint)}`;
    return { ...blueprint, agent: null, problems: [{ severity: 'error', message, from: start, to: start }] };
  });
}

function isTrusted(blueprint: Blueprint, trusted: Trusted): boolean {
  const sha256 = digestOf(blueprint);
  return trusted.some((each) => each.file === blueprint.file && each.sha256 === sha256);
}

const command = ({ name }: Blueprint): string => `vitrine run --blueprint ${name} --trust-blueprint`;

/**
 * Says which file is used, and asks before a repository's blueprint is trusted where that is needed; `given`: by the option.
 * @throws UsageError where nobody can be asked, or the answer is no
 */
export async function assertTrusted(
  context: CliContext,
  name: string,
  all: readonly Blueprint[],
  given: boolean,
): Promise<void> {
  const blueprint = all.find((each) => each.name === name);
  if (blueprint === undefined || blueprint.agent === null) return;
  const whose = blueprint.level === 'workspace' ? 'of the folder' : 'your own';
  context.stderr.write(`vitrine: agent "${name}" (${whose}): ${visibleLine(blueprint.file)}\n`);
  if (!needsTrust(blueprint, all) || isTrusted(blueprint, await readTrusted(context))) return;
  if (!given && !(await agrees(context, blueprint, ownOf(name, all)))) {
    throw new UsageError(
      `The repository brings the agent "${name}", and you have not trusted it as it is now: ${blueprint.file}`,
      `${risks(blueprint, ownOf(name, all)).join(' ')} Read the file, and add --trust-blueprint if you trust it.`,
    );
  }
  await remember(context, blueprint);
}

async function agrees(context: CliContext, blueprint: Blueprint, own: Blueprint | undefined): Promise<boolean> {
  if (!('isTTY' in context.stdin) || context.stdin.isTTY !== true) return false;
  for (const risk of risks(blueprint, own)) context.stderr.write(`  ${risk}\n`);
  const asked = createInterface({ input: context.stdin, output: context.stderr });
  try {
    return /^y(?:es)?$/i.test((await asked.question('Trust this agent as it is now? [y/N] ')).trim());
  } finally {
    asked.close();
  }
}

function risks({ agent }: Blueprint, own: Blueprint | undefined): string[] {
  const servers = Object.entries(agent?.mcp_servers ?? {}).map(([name, server]) => serverText(name, server));
  return own === undefined ? servers : [`It is used instead of your own: ${visibleLine(own.file)}.`, ...servers];
}

function serverText(name: string, server: McpServer): string {
  if (server.type === 'http')
    return visibleLine(`Its server "${name}" is told what ${server.url} and its headers hold.`);
  return visibleLine(`Its server "${name}" starts: ${[server.command, ...server.args].join(' ')}.`);
}
