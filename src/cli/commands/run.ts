import { text } from 'node:stream/consumers';
import path from 'node:path';
import type { AgentOptions } from '../../agents/adapter.ts';
import { adapters } from '../../agents/registry.ts';
import type { ResumeRequest, StartRequest } from '../../engine/api.ts';
import { EngineFailure } from '../../engine/failures.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session.ts';
import { acpChoice, acpProfileIds } from '../acpAgent.ts';
import { numberOption, parseOptions } from '../args.ts';
import { executorByName, resumeByBlueprint, startByBlueprint } from '../blueprints.ts';
import { UsageError, type Command } from '../command.ts';
import { createEngine, storeHelp, type EngineOptions } from '../engine.ts';
import { recallFor } from '../recall.ts';
import type { AskedRun } from '../run/askedRun.ts';
import { runDetached } from '../run/detach.ts';
import { runInForeground } from '../run/foreground.ts';
import { limitHelp, limitOptions, limitsOf } from '../limitOptions.ts';
import { pricesHelp, pricesOption } from '../pricesOption.ts';
import { agentOfSession } from '../sessions/agentOfSession.ts';
import { serverChoice } from '../serverAgent.ts';

const startable = adapters.map(({ type }) => type);

const help = `Usage: vitrine run --agent TYPE [options] PROMPT|-
       vitrine run --agent acp [options] PROMPT|- -- COMMAND [ARGUMENT…]
       vitrine run --blueprint NAME [options] PROMPT|-

Runs an agent. Prints its transcript, one entry per line as JSON, as entries settle (an entry that is corrected later
comes again with the same index), and the result as the last line. "-" reads the prompt from stdin.
Exit code 0: done; 1: the agent failed or was stopped; 2: it could not be started.
Ctrl-C stops the agent and everything it started; a second one kills them at once. The agent keeps running when you close
the terminal, or something kills this command: "vitrine attach" shows it, "vitrine stop" stops it.
Nobody can be asked here: where an agent asks for a permission, it is told no, and the transcript says so.

  --agent TYPE       ${startable.join(', ')}, or replay: the demo recording; with --resume it may be left
                     out
  --blueprint NAME   an agent that is a file in .vitrine/agents of the folder or of your home: see "vitrine agents"
  --trust-blueprint  trusts a file of the folder as it is now, where it has servers or your own has that name;
                     without it you are asked, or refused where nobody can be
  --profile ID       of the agents of the Agent Client Protocol, which one: ${acpProfileIds.join(', ')};
                     or give the command of any other after "--"
  --url URL          of acp-http, the server: http://… or https://…
  --server-agent NAME
                     which agent of the server; default: its only one, or its first
  --token-env NAME   the variable of the environment that holds the token for the server
  --cwd DIR          folder to run in; default: the current one
  --resume ses_…     goes on with a session
  --recall           tells the agent first what earlier sessions of the folder know of the prompt
  --model NAME       model, in the agent's own words
  --permission-mode MODE
${limitHelp}${pricesHelp}  --detach           run it in the background: it outlives this terminal, asks whoever attaches ("vitrine attach"), and is
                     stopped by "vitrine stop"; prints the session, with --json as {session_id, run_id}
  --program PATH     the agent's program; default: it is looked for
  --speed N          of the demo: 2 is twice as fast, 0 does not wait
${storeHelp}`;

const options = {
  agent: { type: 'string' },
  blueprint: { type: 'string' },
  'trust-blueprint': { type: 'boolean' },
  cwd: { type: 'string' },
  resume: { type: 'string' },
  recall: { type: 'boolean' },
  store: { type: 'string' },
  profile: { type: 'string' },
  model: { type: 'string' },
  'permission-mode': { type: 'string' },
  ...limitOptions,
  prices: { type: 'string' },
  program: { type: 'string' },
  url: { type: 'string' },
  'server-agent': { type: 'string' },
  'token-env': { type: 'string' },
  speed: { type: 'string' },
  detach: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

export const run: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('run', { args: [...args], options, allowPositionals: true });
    const [given, ...more] = positionals;
    if (given === undefined)
      throw new UsageError('There is no prompt.', 'Give one in quotes, or - to read it from stdin.');
    const program = values.program === undefined ? undefined : path.resolve(context.cwd, values.program);
    const cwd = path.resolve(context.cwd, values.cwd ?? '.');
    const { blueprint } = values;
    if (blueprint !== undefined && (values.agent ?? values.resume) !== undefined)
      throw new UsageError('--blueprint says which agent it is.', 'Leave out --agent and --resume.');
    const recorded =
      values.resume !== undefined && program !== undefined
        ? await agentOfSession(context, values.store, values.resume)
        : undefined;
    const agent =
      blueprint === undefined
        ? agentType(values.agent ?? recorded?.type, values.resume)
        : await executorByName(context, blueprint, { cwd, trust: values['trust-blueprint'] === true }).catch(usage);
    const resumes = values.resume !== undefined;
    const command = args.includes('--') ? more : [];
    const acpProfile = values.profile ?? (command.length === 0 ? recorded?.profile : undefined);
    const acp =
      blueprint === undefined
        ? acpChoice({ agent, resumes, profile: acpProfile, program, command, cwd: context.cwd })
        : undefined;
    const server = serverChoice(agent, values, context.env);
    if (more.length > 0 && (acp === undefined || command.length === 0))
      throw new UsageError('There is more than one prompt.', 'Put it in quotes.');
    const prompt = given === '-' ? await text(context.stdin) : given;
    if (prompt.trim() === '') throw new UsageError('The prompt is empty.', 'Say what the agent is to do.');
    const agentOptions: AgentOptions = {
      ...(values.model !== undefined && { model: values.model }),
      ...(values['permission-mode'] !== undefined && { permissionMode: values['permission-mode'] }),
    };
    const limits = limitsOf(values);
    const prices = await pricesOption(values.prices, context);
    const engineOptions: EngineOptions = {
      store: values.store,
      writes: true,
      prices,
      agents: agent === undefined || program === undefined ? {} : { [agent]: { program } },
      ...(acp !== undefined && { acp: acp.agents }),
      ...(server !== undefined && { server }),
      ...(values.speed !== undefined && { replaySpeed: numberOption('--speed', values.speed) }),
    };
    const engine = createEngine(context, engineOptions);
    const profile = acp?.profile ?? server?.profile;
    const { resume } = values;
    if (values.json === true && values.detach !== true)
      throw new UsageError('--json belongs to --detach.', 'Leave it out: a run prints JSON lines in any case.');
    const recalled = async () =>
      values.recall === true ? { recall: await recallFor(engine, context, { prompt, cwd, resume }) } : {};
    const asked = { prompt, options: agentOptions };
    const startOf = async (): Promise<StartRequest> => {
      const more = { ...(await recalled()), limits };
      if (blueprint !== undefined)
        return { ...(await startByBlueprint(context, blueprint, { ...asked, cwd })), ...more };
      return { agent: agent ?? 'claude-code', ...(profile !== undefined && { profile }), ...asked, cwd, ...more };
    };
    const resumeOf = async (id: string): Promise<ResumeRequest> => ({
      ...(await resumeByBlueprint(context, engine, id, asked)),
      ...(await recalled()),
      limits,
    });
    const ask = async (): Promise<AskedRun> =>
      resume === undefined ? { start: await startOf() } : { session: resume, resume: await resumeOf(resume) };
    return values.detach === true
      ? runDetached(context, engine, { ...engineOptions, json: values.json === true }, ask)
      : runInForeground(engine, context, engineOptions, ask);
  },
};

/** Before anything runs, what is wrong with a blueprint is a matter of the call. */
function usage(error: unknown): never {
  throw EngineFailure.is(error) ? new UsageError(error.message, error.detail) : error;
}

function agentType(given: string | undefined, resume: string | undefined): ExecutorType | undefined {
  if (given === undefined && resume !== undefined) return undefined;
  if (given === undefined)
    throw new UsageError('--agent is missing.', 'Try --agent claude-code, or --agent replay for the demo.');
  const type = executorTypeSchema.safeParse(given);
  if (!type.success)
    throw new UsageError(`There is no agent "${given}" (--agent).`, 'See "vitrine doctor" for those there are.');
  return type.data;
}
