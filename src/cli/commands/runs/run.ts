import path from 'node:path';
import { adapters } from '../../../agents/registry.ts';
import type { ResumeRequest, StartRequest } from '../../../engine/api.ts';
import { EngineFailure } from '../../../engine/failures/failures.ts';
import { executorTypeSchema, type ExecutorType } from '../../../model/session/session.ts';
import { acpChoice, acpProfileIds } from '../../options/acpAgent.ts';
import { numberOption, parseOptions } from '../../options/args.ts';
import { agentOptionsOf, readPrompt, requirePrompt } from '../../options/prompt.ts';
import { executorByName, resumeByBlueprint, startByBlueprint } from '../../blueprints/blueprints.ts';
import { UsageError, type Command } from '../../command.ts';
import { createEngine, storeHelp, type EngineOptions } from '../../run/engine.ts';
import { recallFor } from '../../run/recall.ts';
import type { RequestedRun } from '../../run/requestedRun.ts';
import { runDetached } from '../../run/detach.ts';
import { runInForeground } from '../../run/foreground.ts';
import { limitsOf, pricesOption, runHelp, runOptions } from '../../options/executorOptions.ts';
import { agentOfSession } from '../../sessions/agentOfSession.ts';
import { serverChoice } from '../../options/serverAgent.ts';

const startable = adapters.map(({ type }) => type);

const help = `Usage: vitrine run --agent TYPE [options] PROMPT|-
       vitrine run --agent acp [options] PROMPT|- -- COMMAND [ARGUMENT…]
       vitrine run --blueprint NAME [options] PROMPT|-

Runs an agent. Prints its transcript as one JSON entry per line (a corrected entry is repeated with the same index),
and the result as the last line. "-" reads the prompt from stdin.
Exit code 0: done; 1: the agent failed or was stopped; 2: it could not be started.
Ctrl-C stops the agent and everything it started; a second Ctrl-C kills them at once. The agent keeps running if you
close the terminal or this command is killed. Use "vitrine attach" to follow it, and "vitrine stop" to stop it.
Permission requests are denied, because no one can answer here. The transcript shows them.

  --agent TYPE       ${startable.join(', ')}, or replay: the demo recording; optional with --resume
  --blueprint NAME   agent file in .vitrine/agents of the folder or of your home folder: see "vitrine agents"
  --trust-blueprint  trusts the current version of the agent file, if it has servers or replaces your own agent;
                     otherwise you are asked, or the run is rejected if no one can answer
  --profile ID       Agent Client Protocol agent: ${acpProfileIds.join(', ')};
                     or put the command of any other agent after "--"
  --url URL          server for acp-http: http://… or https://…
  --server-agent NAME
                     agent on the server; default: the first
  --token-env NAME   environment variable with the server token
  --cwd DIR          working folder; default: the current one
  --resume ses_…     resumes a session
  --recall           adds passages from earlier sessions in the folder to the prompt
${runHelp}  --speed N          speed of the demo; 2: twice as fast, 0: no delays
${storeHelp}`;

const options = {
  agent: { type: 'string' },
  blueprint: { type: 'string' },
  'trust-blueprint': { type: 'boolean' },
  cwd: { type: 'string' },
  resume: { type: 'string' },
  recall: { type: 'boolean' },
  profile: { type: 'string' },
  url: { type: 'string' },
  'server-agent': { type: 'string' },
  'token-env': { type: 'string' },
  speed: { type: 'string' },
  ...runOptions,
} as const;

export const run: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('run', { args: [...args], options, allowPositionals: true });
    const [argument, ...others] = positionals;
    const promptArgument = requirePrompt(argument);
    const program = values.program === undefined ? undefined : path.resolve(context.cwd, values.program);
    const cwd = path.resolve(context.cwd, values.cwd ?? '.');
    const { blueprint } = values;
    if (blueprint !== undefined && (values.agent ?? values.resume) !== undefined)
      throw new UsageError('--blueprint already sets the agent.', 'Remove --agent and --resume.');
    const recorded =
      values.resume !== undefined && program !== undefined
        ? await agentOfSession(context, values.store, values.resume)
        : undefined;
    const agent =
      blueprint === undefined
        ? agentType(values.agent ?? recorded?.type, values.resume)
        : await executorByName(context, blueprint, { cwd, trust: values['trust-blueprint'] === true }).catch(usage);
    const canResume = values.resume !== undefined;
    const command = args.includes('--') ? others : [];
    const acpProfile = values.profile ?? (command.length === 0 ? recorded?.profile : undefined);
    const acp =
      blueprint === undefined
        ? acpChoice({ agent, canResume, profile: acpProfile, program, command, cwd: context.cwd })
        : undefined;
    const server = serverChoice(agent, values, context.env);
    if (others.length > 0 && (acp === undefined || command.length === 0))
      throw new UsageError('There is more than one prompt.', 'Put the prompt in quotes.');
    const prompt = await readPrompt(promptArgument, context);
    const agentOptions = agentOptionsOf(values);
    const limits = limitsOf(values);
    const prices = await pricesOption(values.prices, context);
    const engineOptions: EngineOptions = {
      store: values.store,
      createsStore: true,
      prices,
      agents: agent === undefined || program === undefined ? {} : { [agent]: { program } },
      ...(acp !== undefined && { acp: acp.agents }),
      ...(server !== undefined && { server }),
      ...(values.speed !== undefined && { replaySpeed: numberOption('--speed', values.speed) }),
    };
    const engine = createEngine(context, engineOptions);
    const profile = acp?.profile ?? server?.profile;
    const { resume } = values;
    const recalled = async () =>
      values.recall === true ? { recall: await recallFor(engine, context, { prompt, cwd, resume }) } : {};
    const promptAndOptions = { prompt, options: agentOptions };
    const startOf = async (): Promise<StartRequest> => {
      const recallAndLimits = { ...(await recalled()), limits };
      if (blueprint !== undefined)
        return { ...(await startByBlueprint(context, blueprint, { ...promptAndOptions, cwd })), ...recallAndLimits };
      return {
        agent: agent ?? 'claude-code',
        ...(profile !== undefined && { profile }),
        ...promptAndOptions,
        cwd,
        ...recallAndLimits,
      };
    };
    const resumeOf = async (id: string): Promise<ResumeRequest> => ({
      ...(await resumeByBlueprint(context, engine, id, promptAndOptions)),
      ...(await recalled()),
      limits,
    });
    const ask = async (): Promise<RequestedRun> =>
      resume === undefined ? { start: await startOf() } : { session: resume, resume: await resumeOf(resume) };
    return values.detach === true
      ? runDetached(context, engine, { ...engineOptions, json: values.json === true }, ask)
      : runInForeground(engine, context, engineOptions, ask);
  },
};

/** Before the start, a problem with a blueprint is a usage error. */
function usage(error: unknown): never {
  throw EngineFailure.is(error) ? new UsageError(error.message, error.detail) : error;
}

function agentType(name: string | undefined, resume: string | undefined): ExecutorType | undefined {
  if (name === undefined && resume !== undefined) return undefined;
  if (name === undefined)
    throw new UsageError('--agent is missing.', 'Try --agent claude-code, or --agent replay for the demo.');
  const type = executorTypeSchema.safeParse(name);
  if (!type.success)
    throw new UsageError(`Unknown agent: "${name}" (--agent).`, 'See "vitrine doctor" for available agents.');
  return type.data;
}
