import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import path from 'node:path';
import * as z from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { localDay } from '../../engine/usage/localDay.ts';
import { problemText } from '../../insight/search/query.ts';
import { groupSpent } from '../../insight/usage/spending.ts';
import { sessionIdSchema } from '../../model/session/session.ts';
import { entryText } from '../print/entryText.ts';
import type { Answer } from './answer.ts';
import { explainLine } from './explainLine.ts';

export interface ReadToolsDeps {
  readonly engine: Engine;
  readonly cwd: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly answer: Answer;
}

const annotations = { readOnlyHint: true };
/** Entries of one answer, and characters of one entry. */
const maxEntriesShown = 100;
const maxCharsPerEntry = 4000;
const dayMs = 24 * 3600_000;

/** The tools with which a client reads earlier sessions. */
export function addReadTools(server: McpServer, { engine, cwd, now, answer }: ReadToolsDeps): void {
  server.registerTool(
    'search_sessions',
    {
      description:
        'Searches all recorded sessions, including tool output. Words match by prefix; one entry must contain all. Operators: "exact phrase", tool:NAME, file:PART, kind:KIND, state:STATE, error.',
      inputSchema: {
        query: z.string().min(1),
        limit: z.int().min(1).max(100).default(20).describe('Sessions to return.'),
      },
      annotations,
    },
    ({ query, limit }) =>
      answer(async () => {
        const found = await engine.archive.search.search({ query, mostSessions: limit });
        return {
          sessions: found.sessions.map(({ session, hits, count }) => ({
            session_id: session.session_id,
            title: session.title ?? session.prompt,
            project_dir: session.project_dir ?? null,
            updated_at: session.updated_at,
            matches: count,
            hits: hits.map(({ entry, kind, tool, at, excerpt }) => ({ entry, kind, tool, at, text: excerpt.text })),
          })),
          more_sessions: found.moreSessions,
          searched_sessions: found.scanned.sessions,
          problems: found.problems.map(problemText),
        };
      }),
  );
  server.registerTool(
    'show_session',
    {
      description: 'The transcript of a session, in pages of at most 100 entries.',
      inputSchema: {
        session_id: sessionIdSchema,
        from: z.int().nonnegative().default(0).describe('The first entry; entries count from 0.'),
        count: z.int().min(1).max(maxEntriesShown).default(maxEntriesShown),
      },
      annotations,
    },
    ({ session_id, from, count }) =>
      answer(async () => {
        const handle = await engine.open(session_id);
        try {
          const { title, prompt, agent_label, model, status, outcome, reason, project_dir } = handle.summary();
          const entries = await handle.read(from, from + count);
          const next = from + count < handle.entryCount() ? from + count : null;
          const about = { title: title ?? prompt, agent: agent_label, model, status, outcome, reason, project_dir };
          return { session_id, ...about, entries: entries.map((entry) => truncateText(entryText(entry))), next };
        } finally {
          handle.dispose();
        }
      }),
  );
  server.registerTool(
    'why_line',
    {
      description: 'Which sessions wrote or read a line of a file, and with which prompts.',
      inputSchema: {
        file: z.string().min(1).describe('Path of the file, absolute or relative to the folder of this server.'),
        line: z.int().positive().describe('Counts from 1.'),
      },
      annotations,
    },
    ({ file, line }) =>
      answer(() =>
        explainLine({ archive: engine.archive, open: (id) => engine.open(id) }, path.resolve(cwd, file), line),
      ),
  );
  server.registerTool(
    'usage',
    {
      description: 'Tokens and cost of all recorded sessions by day, model or agent.',
      inputSchema: {
        by: z.enum(['day', 'model', 'agent']).default('day'),
        days: z.int().min(1).max(3650).default(30).describe('Number of days, including today.'),
      },
      annotations,
    },
    ({ by, days }) =>
      answer(async () => {
        const { runSpending, unreadable } = await engine.archive.spending();
        const observed = await engine.archive.observedSpending();
        const first = localDay(now() - (days - 1) * dayMs);
        const recent = [...runSpending, ...observed].filter(({ at }) => localDay(at) >= first);
        const groups = groupSpent(recent, by, localDay).map(
          ({ key, usd, estimatedUsd, unknown, sessions, usage: tokens }) => ({
            [by]: key,
            usd,
            estimated_usd: estimatedUsd,
            unknown_costs: unknown,
            sessions,
            tokens,
          }),
        );
        return { groups, unreadable_records: unreadable };
      }),
  );
}

function truncateText(text: string): string {
  return text.length > maxCharsPerEntry
    ? `${text.slice(0, maxCharsPerEntry)}\n[truncated after ${maxCharsPerEntry} characters]`
    : text;
}
