import path from 'node:path';
import { acpProfileIds } from '../../options/acpAgent.ts';
import { numberOption, parseOptions } from '../../options/args.ts';
import { limitsOf, pricesHelp, pricesOption } from '../../options/executorOptions.ts';
import { readPrompt } from '../../options/prompt.ts';
import { UsageError, type CliContext, type Command } from '../../command.ts';
import { startedDaemon, withDaemonErrors } from '../../run/daemon.ts';
import { storeHelp } from '../../run/engine.ts';
import { clientContext } from '../../run/requestedRun.ts';
import { raceAgents, racePrograms } from '../../race/agents.ts';
import { printComparison, raceCommands } from '../../race/manageRaces.ts';
import { followRace } from '../../race/startRace.ts';
import { writeLines } from '../../print/output.ts';

const help = `Usage: vitrine race PROMPT|- --agents A,B[,…] [options]
       vitrine race list | show ID | stop ID | apply ID NAME [--branch] | undo ID | clean ID [--force]

Runs several agents with the same prompt, each in its own git worktree, in parallel and under one budget. Then runs
the check command in each worktree and compares the results. Your files, index and stash are not touched, except by
"apply". Ctrl-C stops all agents; the race continues if you close the terminal.
Exit code 0: done, with at least one completed agent; 1: no agent completed, or "clean" would lose work; 2: not started.

  --agents A,B       agents: claude, codex, copilot, gemini, cursor, demo; with a model: codex:MODEL;
                     Agent Client Protocol agents: ${acpProfileIds.map((id) => `acp:${id}`).join(', ')}
  --budget X         stops all agents when their total cost reaches this many US dollars
  --max-tokens N     … at this total number of tokens
  --max-turns N      … after this total number of model responses
  --max-minutes X    … after this total number of active minutes
  --check COMMAND    runs in each worktree after the agent finishes
  --setup COMMAND    runs in each worktree before the agent starts, for example "npm ci"
  --copy PATH        copies a file or folder that git does not track into each worktree; can be repeated
  --link PATH        links it instead; agents can then change your original
  --with-changes     includes your uncommitted changes; default: only the current commit
  --worktrees DIR    folder for the worktrees; default: in the store
  --permission-mode AGENT=MODE
                     permission mode of an agent; can be repeated
  --ask              requests wait for an answer in VS Code or "vitrine attach"; default: they are denied
  --cwd DIR          working folder; default: the current one
  --detach           prints the race ID and leaves the race to the daemon
  --json             prints the comparison, the race or the list as JSON
  --program AGENT=PATH
                     path to an agent's program; can be repeated
  --speed N          speed of the demo; 2: twice as fast, 0: no delays
${pricesHelp}${storeHelp}
  list               lists races, including interrupted ones that left worktrees behind
  show ID            prints the comparison again
  stop ID            stops a running race
  apply ID NAME      merges a result into your files; if they conflict, changes nothing and names them
  --branch           creates a branch with the result instead
  undo ID            undoes the last "apply", keeping your later edits
  clean ID           removes worktrees and branches. If work would be lost, lists it and removes nothing
  --force            removes worktrees and branches even if work would be lost

Commands get VITRINE_PORT (different for each agent), VITRINE_RACE, VITRINE_LANE, VITRINE_WORKTREE and
VITRINE_REPOSITORY; so do the agents.
`;

const options = {
  agents: { type: 'string', multiple: true },
  budget: { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-turns': { type: 'string' },
  'max-minutes': { type: 'string' },
  check: { type: 'string' },
  setup: { type: 'string' },
  copy: { type: 'string', multiple: true },
  link: { type: 'string', multiple: true },
  'with-changes': { type: 'boolean' },
  worktrees: { type: 'string' },
  'permission-mode': { type: 'string', multiple: true },
  ask: { type: 'boolean' },
  cwd: { type: 'string' },
  detach: { type: 'boolean' },
  json: { type: 'boolean' },
  program: { type: 'string', multiple: true },
  speed: { type: 'string' },
  prices: { type: 'string' },
  branch: { type: 'boolean' },
  force: { type: 'boolean' },
  store: { type: 'string' },
} as const;

const done = 0;
const noneCompleted = 1;
/** Exit code as in shells: 128 plus the number of SIGHUP. */
const hangupExitCode = 129;

export const race: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('race', { args: [...args], options, allowPositionals: true });
    const { json = false, force = false, branch = false, store } = values;
    const [first, ...others] = positionals;
    const manage = values.agents === undefined && first !== undefined ? raceCommands[first] : undefined;
    if (manage !== undefined) {
      const daemon = await startedDaemon(context, { store });
      try {
        return await manage({ context, daemon, args: others, json, force, branch });
      } finally {
        daemon.close();
      }
    }
    return startRace(context, { ...values, json, positionals });
  },
};

type Values = ReturnType<
  typeof parseOptions<{ args: string[]; options: typeof options; allowPositionals: true }>
>['values'];

async function startRace(
  context: CliContext,
  { positionals, json, ...values }: Values & { readonly json: boolean; readonly positionals: readonly string[] },
): Promise<number> {
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw new UsageError('Specify one prompt.', 'Put it in quotes, or use - to read it from stdin.');
  if (values.agents === undefined) throw new UsageError('--agents is missing.', 'Try --agents claude,codex.');
  const { branch, force, budget, copy = [], link = [], store, setup, check, worktrees } = values;
  if (branch === true || force === true)
    throw new UsageError('--branch and --force apply only to "apply" and "clean".', 'See "vitrine race --help".');
  const agents = raceAgents(values.agents, values['permission-mode'] ?? []);
  const limits = limitsOf({ ...values, ...(budget !== undefined && { 'max-usd': budget }) });
  const prompt = await readPrompt(id, context);
  const cwd = path.resolve(context.cwd, values.cwd ?? '.');
  const engineOptions = {
    store,
    prices: await pricesOption(values.prices, context),
    ...racePrograms(values.program ?? [], context.cwd),
    ...(values.speed !== undefined && { replaySpeed: numberOption('--speed', values.speed) }),
  };
  const request = {
    prompt,
    cwd,
    agents,
    interactive: values.ask === true,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(setup !== undefined && { setup }),
    ...(check !== undefined && { check }),
    ...(values['with-changes'] === true && { withChanges: true }),
    ...(copy.length + link.length > 0 && { extra: { copy, link } }),
    ...(worktrees !== undefined && { worktrees: path.resolve(context.cwd, worktrees) }),
  };
  const daemon = await startedDaemon(context, { store });
  try {
    const started = await withDaemonErrors(() =>
      daemon.call('startRace', { context: clientContext(context, cwd, engineOptions), request }),
    );
    if (values.detach === true) {
      if (json) await writeLines(context.stdout, [started]);
      else context.stdout.write(`${started.race_id}\n`);
      return done;
    }
    context.stderr.write(`Race ${started.race_id}\n`);
    const ended = await followRace(context, daemon, started);
    if (ended === null) return hangupExitCode;
    await printComparison(context, daemon, ended, json);
    const completed = ended.lanes.some(({ state, session_id }) => state === 'done' && session_id !== undefined);
    return completed ? done : noneCompleted;
  } finally {
    daemon.close();
  }
}
