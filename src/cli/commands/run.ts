import { text } from 'node:stream/consumers';
import path from 'node:path';
import type { AgentOptions } from '../../agents/adapter.ts';
import { adapters } from '../../agents/registry.ts';
import type { SessionHandle } from '../../engine/api.ts';
import type { Engine } from '../../engine/engine.ts';
import { EngineFailure } from '../../engine/failures.ts';
import type { NormalizedEntry } from '../../model/entry.ts';
import { requestMetadataSchema } from '../../model/request.ts';
import { executorTypeSchema, type ExecutorType } from '../../model/session.ts';
import { acpChoice, acpProfileIds } from '../acpAgent.ts';
import { parseOptions } from '../args.ts';
import { UsageError, type CliContext, type Command } from '../command.ts';
import { createEngine, storeHelp } from '../engine.ts';
import { writeLines } from '../output.ts';

const startable = adapters.filter(({ protocol }) => protocol !== 'acp-http').map(({ type }) => type);

const help = `Usage: vitrine run --agent TYPE [options] PROMPT|-
       vitrine run --agent acp [options] PROMPT|- -- COMMAND [ARGUMENT…]

Runs an agent here. Prints its transcript, one entry per line as JSON, as entries settle (an entry that is corrected later
comes again with the same index), and the result as the last line. "-" reads the prompt from stdin.
Exit code 0: done; 1: the agent failed or was stopped; 2: it could not be started.
Ctrl-C stops the agent and everything it started; a second one does not ask any more.
Nobody can be asked here: where an agent asks for a permission, it is told no, and the transcript says so.

  --agent TYPE       ${startable.join(', ')}, or replay: the demo recording; with --resume it may be left
                     out
  --profile ID       of the agents of the Agent Client Protocol, which one: ${acpProfileIds.join(', ')};
                     or give the command of any other after "--"
  --cwd DIR          folder to run in; default: the current one
  --resume ses_…     goes on with a session
  --model NAME       model, in the agent's own words
  --permission-mode MODE
  --max-turns N      ends the run after so many turns
  --program PATH     the agent's program; default: it is looked for
  --speed N          of the demo: 2 is twice as fast, 0 does not wait
${storeHelp}`;

const done = 0;
const agentFailed = 1;
const notStarted = 2;

const options = {
  agent: { type: 'string' },
  cwd: { type: 'string' },
  resume: { type: 'string' },
  store: { type: 'string' },
  profile: { type: 'string' },
  model: { type: 'string' },
  'permission-mode': { type: 'string' },
  'max-turns': { type: 'string' },
  program: { type: 'string' },
  speed: { type: 'string' },
} as const;

export const run: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseOptions('run', { args: [...args], options, allowPositionals: true });
    const [given, ...more] = positionals;
    if (given === undefined)
      throw new UsageError('There is no prompt.', 'Give one in quotes, or - to read it from stdin.');
    const agent = agentType(values.agent, values.resume);
    const program = values.program === undefined ? undefined : path.resolve(context.cwd, values.program);
    const cwd = path.resolve(context.cwd, values.cwd ?? '.');
    const resumes = values.resume !== undefined;
    const { profile } = values;
    const command = args.includes('--') ? more : [];
    const acp = acpChoice({ agent, resumes, profile, program, command, cwd: context.cwd });
    if (more.length > 0 && (acp === undefined || command.length === 0))
      throw new UsageError('There is more than one prompt.', 'Put it in quotes.');
    const prompt = given === '-' ? await text(context.stdin) : given;
    if (prompt.trim() === '') throw new UsageError('The prompt is empty.', 'Say what the agent is to do.');
    const agentOptions: AgentOptions = {
      ...(values.model !== undefined && { model: values.model }),
      ...(values['permission-mode'] !== undefined && { permissionMode: values['permission-mode'] }),
      ...(values['max-turns'] !== undefined && { maxTurns: count('--max-turns', values['max-turns']) }),
    };
    const engine = createEngine(context, {
      store: values.store,
      agents: agent === undefined || program === undefined ? {} : { [agent]: { program } },
      ...(acp !== undefined && { acp: acp.agents }),
      ...(values.speed !== undefined && { replaySpeed: number('--speed', values.speed) }),
    });
    try {
      await engine.sweep();
      return await runHere(engine, context, () =>
        values.resume === undefined
          ? engine.start({
              agent: agent ?? 'claude-code',
              ...(acp?.profile !== undefined && { profile: acp.profile }),
              prompt,
              cwd,
              options: agentOptions,
            })
          : engine.resume(values.resume, { prompt, options: agentOptions }),
      );
    } catch (error) {
      if (!EngineFailure.is(error)) throw error;
      context.stderr.write(`vitrine: ${error.message}\n${error.detail}\n`);
      return notStarted;
    } finally {
      await engine.dispose();
    }
  },
};

async function runHere(engine: Engine, context: CliContext, start: () => Promise<SessionHandle>): Promise<number> {
  let session: string | undefined;
  const registration = engine.onSummary((summary) => {
    session ??= summary.session_id;
  });
  let interrupts = 0;
  const stopListening = context.onInterrupt(() => {
    interrupts += 1;
    if (session !== undefined) void engine.stop(session, { kill: interrupts > 1 });
    else if (interrupts > 1) process.exit(notStarted);
  });
  try {
    const handle = await start();
    const printed = printer(handle, context, handle.turns().at(-1)?.firstIndex ?? 0);
    const result = await handle.done;
    await printed();
    if (result === undefined) return agentFailed;
    await writeLines(context.stdout, [result]).catch(() => undefined);
    const unasked = await deniedByNobody(handle);
    if (unasked > 0)
      context.stderr.write(`vitrine: Denied, because nobody is here to be asked: ${unasked} of the agent's requests.\n`);
    if (!result.success)
      context.stderr.write(`vitrine: ${handle.summary().reason ?? result.error ?? 'The agent failed.'}\n`);
    return result.success ? done : agentFailed;
  } finally {
    stopListening();
    registration.dispose();
  }
}

async function deniedByNobody(handle: SessionHandle): Promise<number> {
  const entries = await handle.read(handle.turns().at(-1)?.firstIndex ?? 0, handle.total());
  return entries.filter(({ metadata }) => requestMetadataSchema.safeParse(metadata).data?.decision?.by === 'nobody')
    .length;
}

/** Prints settled entries in the order in which they settle; those that settled before it began come first. */
function printer(handle: SessionHandle, context: CliContext, first: number): () => Promise<void> {
  const total = handle.total();
  const open = new Set(handle.open());
  // Whoever read has gone; that ends the run, not this.
  const print = (entries: Iterable<NormalizedEntry>) => writeLines(context.stdout, entries).catch(() => undefined);
  let written: Promise<void> = handle.read(first, total).then((entries) =>
    writeLines(
      context.stdout,
      entries.filter((entry) => !open.has(entry.index)),
    ),
  );
  handle.onUpdates((updates) => {
    const settled = new Map<number, NormalizedEntry>();
    for (const update of updates) {
      if (update.op !== 'put') continue;
      if (update.open === true) settled.delete(update.entry.index);
      else settled.set(update.entry.index, update.entry);
    }
    if (settled.size > 0) written = written.then(() => print(settled.values()));
  });
  return () => written;
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

function number(name: string, given: string): number {
  const value = Number(given);
  if (given.trim() === '' || !(value >= 0))
    throw new UsageError(`"${given}" is no number (${name}).`, 'Give one, such as 3.');
  return value;
}

function count(name: string, given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given))
    throw new UsageError(`"${given}" is no whole number above 0 (${name}).`, 'Give one, such as 3.');
  return Number(given);
}
