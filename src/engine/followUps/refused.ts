import type { WhyNot } from '../../insight/followUps/decide.ts';

/** Why a follow-up did not go out. Nobody asked for it, so it is for the log, and for whoever planned it. */
export class FollowUpRefused extends Error {
  override readonly name = 'FollowUpRefused';
  /** `changed`: the conversation went on since it was planned. `quiet`, `early`: it is to wait. */
  readonly why: WhyNot | 'changed' | 'quiet' | 'early';

  constructor(why: FollowUpRefused['why']) {
    super(`No follow-up: ${why}.`);
    this.why = why;
  }

  static is(error: unknown): error is FollowUpRefused {
    return error instanceof FollowUpRefused;
  }
}
