import type { TeamShare } from './summary.ts';

/** The other team member who wrote what a person wrote in a shared session; not if the reader asked for its run. */
export function sharedAuthor(shared: TeamShare | undefined): string | undefined {
  return shared?.requested === true ? undefined : shared?.member;
}
