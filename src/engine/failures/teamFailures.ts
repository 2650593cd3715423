import { EngineFailure } from './failures.ts';
import { quote, worded, type Wording } from './wording.ts';

export const teamMissing = (): EngineFailure =>
  new EngineFailure('team_missing', {
    message: worded`This store does not belong to a team.`,
    detail: worded`Join a team with Join Team… in VS Code, or with: vitrine team join URL`,
  });

/** `why` and `next` are in the words of the database layer. */
export function teamRefused(code: string, why: string, next: string, cause: unknown): EngineFailure {
  return new EngineFailure('team_refused', { message: quote(why), detail: nextStep(code, next) }, cause);
}

function nextStep(code: string, next: string): Wording {
  if (code === 'login') return worded`Check the name and the password, and try again.`;
  if (code === 'unreachable') return worded`Check the address and the network, and try again.`;
  return quote(next);
}

/** Why an agent may not start a child on another machine. */
export const childSessionNotShared = worded`A team runner could take this run, but the session is not shared with the team. The user must share its folder (metadata is enough): set vitrine.team.share, or run "vitrine team share . --as metadata".`;
