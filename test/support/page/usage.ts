/** A fictitious month for the usage view. */
import type { UsageGroup, UsagePage } from '../../../src/protocol/pages/usageMessages.ts';

export function createUsageGroup(key: string, overrides: Partial<UsageGroup> = {}): UsageGroup {
  return {
    key,
    usd: null,
    estimatedUsd: 0,
    unknown: 0,
    runs: 0,
    sessions: 0,
    usage: {},
    unknownUsage: {},
    ...overrides,
  };
}

export function usagePage(overrides: Partial<UsagePage> = {}): UsagePage {
  const days = Array.from({ length: 21 }, (_, at) => {
    const key = `2026-11-${String(at + 1).padStart(2, '0')}`;
    if (at % 7 > 4) return createUsageGroup(key);
    const usd = 0.4 + ((at * 7) % 5) * 0.35;
    const estimatedUsd = at % 4 === 1 ? usd / 3 : 0;
    const unknown = at % 6 === 2 ? 1 : 0;
    const usage = { input: 1200 * (at + 1), output: 800 * (at + 1), cacheRead: 90_000 };
    const unknownUsage = unknown === 0 ? {} : { input: 12_345 };
    return createUsageGroup(key, { usd, estimatedUsd, unknown, runs: 3, sessions: 2, usage, unknownUsage });
  });
  return {
    month: '2026-11',
    first: '2026-09',
    last: '2026-11',
    scope: 'workspace',
    day: createUsageGroup('2026-11-21', { usd: 1.04, runs: 3, sessions: 3 }),
    total: createUsageGroup('2026-11', {
      usd: 16.42,
      estimatedUsd: 1.3,
      unknown: 3,
      runs: 45,
      sessions: 22,
      unknownUsage: { input: 37_035 },
    }),
    days,
    agents: [
      createUsageGroup('Claude Code', { usd: 12.1, runs: 30, usage: { input: 81_000, cacheRead: 1_204_000 } }),
      createUsageGroup('Codex', { usd: 4.32, estimatedUsd: 1.3, runs: 12, usage: { input: 44_000 } }),
      createUsageGroup('Cursor', { unknown: 3, runs: 3, usage: { input: 37_035 }, unknownUsage: { input: 37_035 } }),
    ],
    models: [
      createUsageGroup('claude-opus-5-5', { usd: 12.1, runs: 30, usage: { input: 81_000, cacheRead: 1_204_000 } }),
      createUsageGroup('gpt-5-codex', { usd: 4.32, estimatedUsd: 1.3, runs: 12, usage: { input: 44_000 } }),
      createUsageGroup('unknown', { unknown: 3, runs: 3, usage: { input: 37_035 }, unknownUsage: { input: 37_035 } }),
    ],
    omitted: 0,
    unreadable: 0,
    isInTeam: false,
    ...overrides,
  };
}
