import type { SessionRow } from '../../../../src/vscode/sessions/sessionRow.ts';

/** A finished session of yesterday noon (local) unless said otherwise. */
export function row(id: string, overrides: Partial<SessionRow> = {}): SessionRow {
  return {
    session_id: `ses_${id.padEnd(12, '0')}`,
    status: 'finished',
    created_at: at(20, 12),
    updated_at: at(20, 12),
    prompt: `Prompt of ${id}`,
    agent_label: 'Claude Code',
    agent_version: '2.1.328',
    model: 'claude-opus-5-5',
    outcome: 'completed',
    turns: 3,
    runs: 1,
    duration: 60_000,
    total_cost: { provenance: 'reported', usd: 0.5 },
    recording: false,
    ...overrides,
  };
}

/** An hour of a day in November 2026, local time. */
export function at(day: number, hour: number): string {
  return new Date(2026, 10, day, hour).toISOString();
}

/** 21 November 2026, three in the afternoon. */
export const now = Date.parse(at(21, 15));
