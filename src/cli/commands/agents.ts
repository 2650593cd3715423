import path from 'node:path';
import type { Blueprint } from '../../engine/blueprints/load.ts';
import { executorOf } from '../../engine/blueprints/request.ts';
import { visibleLine } from '../../model/text/visibleText.ts';
import { parseOptions } from '../options/args.ts';
import { blueprintsOf } from '../blueprints/blueprints.ts';
import type { Command } from '../command.ts';
import { writeLines } from '../print/output.ts';

const help = `Usage: vitrine agents [options]

Lists agent files (.vitrine/agents) of a folder and of your home folder: name, executor, status, tags, description.
Problems follow, with file, line and column.
Exit code 0: all files are valid; 1: some are not valid.

  --cwd DIR          the folder; default: the current one
  --tag NAME         only agents with this tag; repeat to require several
  --skill NAME       only agents with this skill
  --json             one agent per line as JSON, with the file and its problems
`;

const options = {
  cwd: { type: 'string' },
  tag: { type: 'string', multiple: true },
  skill: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

const done = 0;
const exitCodeIfBroken = 1;

export const agents: Command = {
  help,
  async run(args, context) {
    const { values } = parseOptions('agents', { args: [...args], options });
    const { tag: tags = [], skill: skills = [] } = values;
    const all = await blueprintsOf(context, path.resolve(context.cwd, values.cwd ?? '.'));
    const found = all.filter(
      ({ agent }) =>
        (tags.length === 0 && skills.length === 0) ||
        (tags.every((tag) => agent?.tags.includes(tag) === true) &&
          skills.every((skill) => agent?.skills.includes(skill) === true)),
    );
    if (values.json === true) await writeLines(context.stdout, found);
    else {
      for (const blueprint of found) context.stdout.write(`${row(blueprint)}\n`);
      for (const blueprint of found) context.stderr.write(problems(blueprint));
    }
    return found.some((blueprint) => blueprint.problems.some(({ severity }) => severity === 'error'))
      ? exitCodeIfBroken
      : done;
  },
};

function row({ name, agent, level }: Blueprint): string {
  const place = level === 'user' ? 'home' : 'here';
  if (agent === null) return visibleLine([name.padEnd(24), ''.padEnd(12), 'unusable', place].join('  ').trimEnd());
  const { status, tags, description } = agent;
  const about = tags.length === 0 ? description : `[${tags.join(', ')}] ${description}`;
  const cells = [name.padEnd(24), executorOf(agent).padEnd(12), status.padEnd(8), place, about];
  return visibleLine(cells.join('  ').trimEnd());
}

function problems({ file, problems: all }: Blueprint): string {
  const lines = all.map(
    ({ severity, message, from }) =>
      `${visibleLine(`${file}:${from.line + 1}:${from.character + 1}: ${severity}: ${message}`)}\n`,
  );
  return lines.join('');
}
