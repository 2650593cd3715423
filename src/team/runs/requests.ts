import { agentRequestSchema, answerSchema, type AgentRequest, type Answer } from '../../model/agent/request.ts';
import type { Database } from '../database/connection.ts';

export interface TeamRequest {
  readonly request: AgentRequest;
  /** `null`: no one has answered. */
  readonly answer: Answer | null;
  readonly answeredBy: string | null;
}

/** Requests of the active run of a session that wait, or whose answer the agent has not received. @throws errors of the database */
export async function readRequests(database: Database, session: string): Promise<readonly TeamRequest[]> {
  const { rows } = await database.query<{ request: unknown; answer: unknown; answered_by: string | null }>(
    'SELECT request, answer, answered_by FROM vitrine.requests WHERE session_id = $1 ORDER BY asked_at',
    [session],
  );
  return rows.flatMap(({ request: question, answer, answered_by }) => {
    const request = agentRequestSchema.safeParse(question).data;
    if (request === undefined) return [];
    return [{ request, answer: answerSchema.safeParse(answer).data ?? null, answeredBy: answered_by }];
  });
}

interface ClaimedRun {
  readonly run: string;
  /** Number of the claim. */
  readonly token: string;
}

/** @throws errors of the database, SQLSTATE `VT005`: the run is another's */
export async function putRequest(database: Database, { run, token }: ClaimedRun, request: AgentRequest): Promise<void> {
  await database.query('SELECT vitrine.put_request($1, $2, $3, $4)', [
    ...[run, token, request.id, JSON.stringify(request)],
  ]);
}

/** The agent no longer waits. @throws errors of the database */
export async function closeRequest(database: Database, { run, token }: ClaimedRun, id: string): Promise<void> {
  await database.query('SELECT vitrine.close_request($1, $2, $3)', [run, token, id]);
}

/** False: it was answered before, or the agent no longer asks. @throws errors of the database */
export async function answerRequest(database: Database, session: string, id: string, answer: Answer): Promise<boolean> {
  const { rows } = await database.query<{ done: boolean }>('SELECT vitrine.answer_request($1, $2, $3) AS done', [
    ...[session, id, JSON.stringify(answer)],
  ]);
  return rows[0]?.done === true;
}
