import type { LineOf } from '../formats/record.ts';
import type { Launched, RunPlan } from './runPlan.ts';

/** Where the output of an attempt begins, so that recovery can make the entries again from the raw logs. */
interface Beginning {
  /** ISO 8601. */
  readonly at: string;
  readonly firstIndex: number;
  readonly offsets: { readonly stdout: number; readonly stderr: number; readonly client: number };
}

/** For the record: a program was launched for a run. */
export function attemptLine(
  { run, figures }: RunPlan,
  { program, version, sessionId }: Launched,
  resume: string | null,
  { at, firstIndex, offsets }: Beginning,
): LineOf<'decision'> {
  return {
    kind: 'decision',
    decision: {
      type: 'attempt',
      at,
      run_id: run.run_id,
      resume,
      afresh: figures.afresh,
      asked_model: figures.askedModel,
      program,
      version,
      conversation: sessionId,
      first_index: firstIndex,
      stdout_offset: offsets.stdout,
      stderr_offset: offsets.stderr,
      client_offset: offsets.client,
    },
  };
}
