import path from 'node:path';
import { resumeByBlueprint } from '../../blueprints/blueprints.ts';
import { UsageError, type Command } from '../../command.ts';
import { acpChoice } from '../../options/acpAgent.ts';
import { parseOptions } from '../../options/args.ts';
import { limitsOf, pricesOption, runHelp, runOptions } from '../../options/executorOptions.ts';
import { agentOptionsOf, readPrompt, requirePrompt } from '../../options/prompt.ts';
import { runDetached } from '../../run/detach.ts';
import { createEngine, storeHelp, type EngineOptions } from '../../run/engine.ts';
import { runInForeground } from '../../run/foreground.ts';
import type { ForkedRun } from '../../run/requestedRun.ts';
import { agentOfSession } from '../../sessions/agentOfSession.ts';

const help = `Usage: vitrine fork ses_… [--at ENTRY] [options] PROMPT|- [-- COMMAND [ARGUMENT…]]

Starts a new session that continues another session from just before its prompt ENTRY, with PROMPT in place of that prompt
("vitrine show" prints the entry numbers). The other session and your files do not change. "-" reads the prompt from stdin.
Claude Code and Codex continue a copy of their own conversation. An Agent Client Protocol agent does so without --at, if it
supports forks. Other agents get the transcript as text. stderr says which way was used. Output and exit codes are the same
as for "vitrine run".

  --at ENTRY         number of the prompt that PROMPT replaces; default: PROMPT follows the whole conversation
${runHelp}${storeHelp}`;

const options = { at: { type: 'string' }, ...runOptions } as const;

export const fork: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('fork', { args: [...args], options, allowPositionals: true });
    const [session, argument, ...others] = positionals;
    if (session === undefined) throw new UsageError('Specify a session.', 'See "vitrine sessions" for session IDs.');
    const at = entryOf(values.at, session);
    const promptArgument = requirePrompt(argument);
    const command = args.includes('--') ? others : [];
    if (others.length > command.length)
      throw new UsageError('There is more than one prompt.', 'Put the prompt in quotes.');
    const agentOptions = agentOptionsOf(values);
    const { cwd } = context;
    const program = values.program === undefined ? undefined : path.resolve(cwd, values.program);
    const { type: agent, profile } =
      program === undefined
        ? { type: undefined, profile: undefined }
        : await agentOfSession(context, values.store, session);
    const acp = acpChoice({ agent, canResume: true, profile, program, command, cwd });
    const limits = limitsOf(values);
    const engineOptions: EngineOptions = {
      store: values.store,
      createsStore: true,
      prices: await pricesOption(values.prices, context),
      agents: agent === undefined || program === undefined ? {} : { [agent]: { program } },
      ...(acp !== undefined && { acp: acp.agents }),
    };
    const prompt = await readPrompt(promptArgument, context);
    const engine = createEngine(context, engineOptions);
    const ask = async (): Promise<ForkedRun> => {
      const request = await resumeByBlueprint(context, engine, session, { prompt, options: agentOptions });
      return { session, at, fork: { ...request, limits } };
    };
    return values.detach === true
      ? runDetached(context, engine, { ...engineOptions, json: values.json === true }, ask)
      : runInForeground(engine, context, engineOptions, ask);
  },
};

/** Index of the prompt. */
function entryOf(at: string | undefined, session: string): number | undefined {
  if (at === undefined) return undefined;
  const next = `See "vitrine show ${session}" for the prompt numbers.`;
  if (!/^\d{1,9}$/.test(at)) throw new UsageError(`"${at}" is not the number of an entry (--at).`, next);
  return Number(at);
}
