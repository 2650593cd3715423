import type { Share } from '../../model/session/share.ts';
import type { ResultOf } from '../../protocol/daemon/calls.ts';
import type { TeamState } from '../../protocol/daemon/team.ts';
import type { QueueCaller } from './remoteQueue.ts';

/** The team of the daemon's store. */
export class RemoteTeam {
  readonly #daemon: QueueCaller;

  constructor(daemon: QueueCaller) {
    this.#daemon = daemon;
  }

  /** `null`: the store belongs to no team. @throws DaemonError */
  async state(): Promise<TeamState | null> {
    return (await this.#daemon.call('teamState', {})).team;
  }

  /** Sessions of other members. From then on, news include their changes. @throws DaemonError */
  sharedSessions(): Promise<ResultOf<'sharedSessions'>> {
    return this.#daemon.call('sharedSessions', {});
  }

  /** Copies of what other members share, brought up to date; `null`: there are none. @throws DaemonError */
  async pullShared(): Promise<ResultOf<'pullShared'>['copies']> {
    return (await this.#daemon.call('pullShared', {})).copies;
  }

  /** The daemon connects again with this password. @throws DaemonError */
  async usePassword(password: string): Promise<void> {
    await this.#daemon.call('reloadTeam', { password });
  }

  /** An empty password: the daemon looks for one. @throws DaemonError */
  async join(url: string, password: string): Promise<ResultOf<'joinTeam'>> {
    return this.#daemon.call('joinTeam', { url, ...(password !== '' && { password }) });
  }

  /** Returns how many shared sessions were deleted. @throws DaemonError */
  async leave(deleteMine: boolean): Promise<number> {
    return (await this.#daemon.call('leaveTeam', { delete_mine: deleteMine })).deleted;
  }

  /** @throws DaemonError */
  async shareSession(session_id: string, share: Share): Promise<void> {
    await this.#daemon.call('shareSession', { session_id, share });
  }
}
