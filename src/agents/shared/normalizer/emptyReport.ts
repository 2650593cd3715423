import type { RunReport } from '../../../model/usage/facts.ts';

/** A closing line that only says that the run has ended; agents add their own figures. */
export const emptyReport: RunReport = {
  isError: false,
  subtype: 'success',
  text: null,
  errors: [],
  terminalReason: null,
  usd: null,
  turns: null,
  durationMs: null,
  apiDurationMs: null,
  usage: null,
  models: [],
  runModels: null,
  subagents: null,
};
