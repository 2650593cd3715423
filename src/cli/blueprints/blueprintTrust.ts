import { createInterface } from 'node:readline/promises';
import type { Blueprint } from '../../engine/blueprints/load.ts';
import { homeOf, isTrusted, needsTrust, findUserBlueprint, rememberTrust } from '../../engine/blueprints/trusted.ts';
import type { McpServer } from '../../model/agent/mcpServer.ts';
import { UsageError, type CliContext } from '../command.ts';
import { visibleLine } from '../../model/text/visibleText.ts';

/**
 * Prints which file is used and, if necessary, asks whether to trust a repository's agent file. `isGranted`: trusted by an
 * option.
 * @throws UsageError if nobody can answer, or the answer is no
 */
export async function assertTrusted(
  context: CliContext,
  name: string,
  all: readonly Blueprint[],
  isGranted: boolean,
): Promise<void> {
  const blueprint = all.find((candidate) => candidate.name === name);
  if (blueprint === undefined || blueprint.agent === null) return;
  const origin = blueprint.level === 'workspace' ? 'from the folder' : 'your own';
  context.stderr.write(`vitrine: agent "${name}" (${origin}): ${visibleLine(blueprint.file)}\n`);
  const home = homeOf(context.env);
  if (!needsTrust(blueprint, all) || (await isTrusted(blueprint, home))) return;
  if (!isGranted && !(await askForTrust(context, blueprint, findUserBlueprint(name, all)))) {
    throw new UsageError(
      `The agent "${name}" comes from the repository, and you have not trusted its current version: ${blueprint.file}`,
      `${riskLines(blueprint, findUserBlueprint(name, all)).join(' ')} Read the file, and add --trust-blueprint if you trust it.`,
    );
  }
  await rememberTrust(blueprint, home);
}

async function askForTrust(context: CliContext, blueprint: Blueprint, own: Blueprint | undefined): Promise<boolean> {
  if (!('isTTY' in context.stdin) || context.stdin.isTTY !== true) return false;
  for (const risk of riskLines(blueprint, own)) context.stderr.write(`  ${risk}\n`);
  const terminal = createInterface({ input: context.stdin, output: context.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Trust the current version of this agent? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

function riskLines({ agent }: Blueprint, own: Blueprint | undefined): string[] {
  const servers = Object.entries(agent?.mcp_servers ?? {}).map(([name, server]) => serverText(name, server));
  return own === undefined ? servers : [`It replaces your own agent: ${visibleLine(own.file)}.`, ...servers];
}

function serverText(name: string, server: McpServer): string {
  if (server.type === 'http')
    return visibleLine(`Its server "${name}" receives requests at ${server.url}, with its headers.`);
  return visibleLine(`Its server "${name}" starts: ${[server.command, ...server.args].join(' ')}.`);
}
