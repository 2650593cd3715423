import type { SecretStorage } from 'vscode';
import type { RemoteTeam } from '../../client/queue/remoteTeam.ts';
import type { TeamState } from '../../protocol/daemon/team.ts';

const keyOf = (url: string): string => `vitrine.team.password:${url}`;

/** Passwords of team databases, in the secret storage. The daemon gets them when it needs one, and does not save them. */
export class TeamPasswords {
  readonly #secrets: SecretStorage;
  /** Passwords that were offered, by address, so that a wrong one is offered only once. */
  readonly #offeredPasswords = new Map<string, string>();

  constructor(secrets: SecretStorage) {
    this.#secrets = secrets;
  }

  async save(url: string, password: string): Promise<void> {
    if (password === '') await this.#secrets.delete(keyOf(url));
    else await this.#secrets.store(keyOf(url), password);
  }

  async forget(url: string): Promise<void> {
    await this.#secrets.delete(keyOf(url));
  }

  /** Gives a daemon that found no password the saved one. */
  async offer(team: RemoteTeam, { url, has_password }: TeamState): Promise<void> {
    if (has_password) {
      // The next daemon may have none.
      this.#offeredPasswords.delete(url);
      return;
    }
    const password = await this.#secrets.get(keyOf(url));
    if (password === undefined || this.#offeredPasswords.get(url) === password) return;
    this.#offeredPasswords.set(url, password);
    await team.usePassword(password);
  }
}
