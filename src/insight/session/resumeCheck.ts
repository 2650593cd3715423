/** Facts that decide whether an agent finds a session's conversation here. */
export interface ResumePlace {
  /** The agent supports it in this version. */
  readonly isSupported: boolean;
  /** The agent gave the conversation an id. */
  readonly isNamed: boolean;
  /** `unknown`: Vitrine did not search for its program, or it has none. */
  readonly program: 'found' | 'missing' | 'unknown';
  /** The folder of the session exists. */
  readonly folderExists: boolean;
  /** The agent's own file of the conversation; `unknown` if Vitrine does not read this agent's files. */
  readonly conversation: 'found' | 'missing' | 'unknown';
  /** The session was recorded on another machine. */
  readonly isFromOtherMachine: boolean;
  /** The record belongs to another user of this machine. */
  readonly belongsToOtherUser: boolean;
  /** The folder is a linked git worktree. */
  readonly isWorktree: boolean;
  readonly isContainer: boolean;
  readonly isCi: boolean;
  /** The window works on another machine than the one that shows it. */
  readonly isRemote: boolean;
}

/** Why a resume works here, may not, or does not. */
export type ResumeReason =
  | 'not_supported'
  | 'no_conversation_id'
  | 'program_missing'
  | 'folder_missing'
  | 'conversation_missing'
  | 'other_machine'
  | 'other_user'
  | 'conversation_found'
  | 'not_checked'
  /** Works only here. */
  | 'worktree'
  | 'container'
  | 'ci'
  | 'remote';

export type ResumeVerdict = 'yes' | 'uncertain' | 'no';

export interface ResumeCheck {
  readonly verdict: ResumeVerdict;
  /** The most important first. */
  readonly reasons: readonly ResumeReason[];
}

/** Whether a session will resume here. Best effort: only the agent knows whether it reads its own file. */
export function resumeCheck(place: ResumePlace): ResumeCheck {
  const { isSupported, isNamed, program, folderExists, conversation } = place;
  const blockingReasons = reasonsOf([
    ['not_supported', !isSupported],
    ['no_conversation_id', isSupported && !isNamed],
    ['program_missing', program === 'missing'],
    ['folder_missing', !folderExists],
  ]);
  const isFound = conversation === 'found';
  const uncertainReasons = reasonsOf([
    ['other_machine', place.isFromOtherMachine && !isFound],
    ['other_user', place.belongsToOtherUser && !isFound],
    ['conversation_missing', isNamed && conversation === 'missing'],
    ['not_checked', isNamed && conversation === 'unknown'],
  ]);
  const limits = reasonsOf([
    ['worktree', place.isWorktree],
    ['container', place.isContainer],
    ['ci', place.isCi],
    ['remote', place.isRemote],
  ]);
  const found = reasonsOf([['conversation_found', isFound]]);
  return {
    verdict: blockingReasons.length > 0 ? 'no' : uncertainReasons.length > 0 ? 'uncertain' : 'yes',
    reasons: [...blockingReasons, ...uncertainReasons, ...found, ...limits],
  };
}

function reasonsOf(all: readonly (readonly [ResumeReason, boolean])[]): ResumeReason[] {
  return all.flatMap(([reason, holds]) => (holds ? [reason] : []));
}
