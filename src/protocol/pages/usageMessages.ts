import type { CostSum, TokenUsage } from '../../model/usage/usage.ts';

/** Groups runs by a day (`2026-11-21`), an agent or a model. */
export interface UsageGroup extends CostSum {
  readonly key: string;
  readonly runs: number;
  readonly sessions: number;
  readonly usage: TokenUsage;
  /** Tokens of runs with unknown cost. */
  readonly unknownUsage: TokenUsage;
}

/** `team`: all sessions, and what other members share. */
export type UsageScope = 'workspace' | 'all' | 'team';

/** Sessions of other members in the totals. */
export interface TeamCoverage {
  readonly sessions: number;
  /** False: only the newest ones. */
  readonly isComplete: boolean;
  /** False: none, because the team cannot be reached. */
  readonly isConnected: boolean;
}

/** What was spent in a month, and today. */
export interface UsagePage {
  /** `2026-11`. */
  readonly month: string;
  /** First and last month with data. */
  readonly first: string;
  readonly last: string;
  readonly scope: UsageScope;
  readonly day: UsageGroup;
  readonly total: UsageGroup;
  readonly days: readonly UsageGroup[];
  readonly agents: readonly UsageGroup[];
  readonly models: readonly UsageGroup[];
  /** Runs counted on the day on which their session was created, because no list has them any more. */
  readonly omitted: number;
  /** Records that could not be read, and are not included in the totals. */
  readonly unreadable: number;
  /** Whether the store belongs to a team. */
  readonly isInTeam: boolean;
  /** Coverage of the team's usage, with the scope `team`. */
  readonly team?: TeamCoverage;
}

export type ToUsagePage =
  | {
      readonly type: 'usage';
      readonly page: UsagePage;
      readonly l10n: Readonly<Record<string, string>>;
      readonly locale: string;
    }
  | { readonly type: 'failed'; readonly message: string };

export type FromUsagePage =
  | { readonly type: 'ready' }
  | { readonly type: 'show'; readonly month: string; readonly scope: UsageScope }
  | { readonly type: 'export' };
