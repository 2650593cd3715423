import { emptyReport } from '../../../src/agents/shared/normalizer/emptyReport.ts';
import type { MessageUsage, RunFacts, RunReport } from '../../../src/model/usage/facts.ts';
import type { PriceTable } from '../../../src/insight/prices/prices.ts';

/** Report of a successful run, with overridden figures. */
export function report(own: Partial<RunReport> = {}): RunReport {
  return { ...emptyReport, text: 'Done.', ...own };
}

export function message(own: Partial<MessageUsage> = {}): MessageUsage {
  return {
    messageId: 'msg_1',
    model: 'model-a',
    usage: { input: 100, output: 10 },
    parentCallId: null,
    settled: true,
    ...own,
  };
}

export function runFacts(own: Partial<RunFacts> = {}): RunFacts {
  return {
    sessionIds: ['a'],
    model: 'model-a',
    agentVersion: null,
    permissionMode: null,
    answer: '',
    finalText: '',
    userLines: 0,
    sideCalls: 0,
    reports: [],
    messages: [],
    lines: { total: 3, unknown: 0, malformed: 0, oversize: 0 },
    stderr: '',
    warnings: [],
    unknownSession: false,
    ...own,
  };
}

/** `model-a` costs a dollar per million tokens of any kind. */
export const testPrices: PriceTable = {
  name: 'test',
  date: '2026-01-01',
  models: { 'model-a': { input: 1, output: 1 } },
  aliases: {},
};
