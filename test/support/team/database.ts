import { randomBytes } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import type { Login } from '../../../src/team/database/connection.ts';
import { withClient } from '../../../src/team/database/connection.ts';
import { migrate } from '../../../src/team/database/migrate.ts';
import { joinTeam } from '../../../src/team/membership.ts';
import { teamServer, type TestServer } from './server.ts';

export const migrationsFolder = path.resolve('media/team');

/** A database of its own, owned by a login without superuser rights. */
export class TeamDatabase {
  readonly server: TestServer;
  readonly name = `t${randomBytes(6).toString('hex')}`;
  /** The owner of the database, who may create roles. */
  readonly lead = `${this.name}_lead`;
  readonly #clients: pg.Client[] = [];

  private constructor(server: TestServer) {
    this.server = server;
  }

  /** Without the schema. */
  static async createEmpty(): Promise<TeamDatabase> {
    const database = new TeamDatabase(await teamServer());
    await database.server.asAdmin(async (client) => {
      await client.query(
        `CREATE ROLE ${database.lead} LOGIN CREATEROLE PASSWORD '${database.password(database.lead)}'`,
      );
      await client.query(`CREATE DATABASE ${database.name} OWNER ${database.lead}`);
    });
    return database;
  }

  static async create(): Promise<TeamDatabase> {
    const database = await TeamDatabase.createEmpty();
    await withClient(database.login(database.lead), (client) =>
      migrate(client, { dir: migrationsFolder, direction: 'up' }),
    );
    return database;
  }

  password(user: string): string {
    return `password-of-${user}`;
  }

  login(user: string): Login {
    const address = { host: '127.0.0.1', port: this.server.port, database: this.name, user, tls: 'none' } as const;
    return { address, password: this.password(user) };
  }

  url(user: string): string {
    return `postgres://${user}@127.0.0.1:${this.server.port}/${this.name}`;
  }

  /** A login that belongs to nothing. Returns its name. */
  async createLogin(name: string): Promise<string> {
    const user = `${this.name}_${name}`;
    await this.withLead((client) => client.query(`CREATE ROLE ${user} LOGIN PASSWORD '${this.password(user)}'`));
    return user;
  }

  /** Returns the name of the login. */
  async addMember(name: string, kind: 'member' | 'auditor' = 'member'): Promise<string> {
    const user = await this.createLogin(name);
    await this.withLead((client) => client.query(`GRANT vitrine_${kind}_${this.name} TO ${user}`));
    await withClient(this.login(user), joinTeam);
    return user;
  }

  withLead<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return withClient(this.login(this.lead), work);
  }

  /** Open until the database is dropped. Errors have their SQLSTATE. */
  async connect(user: string): Promise<pg.Client> {
    const { address, password } = this.login(user);
    const client = new pg.Client({ ...address, password });
    client.on('error', () => undefined);
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  async drop(): Promise<void> {
    for (const client of this.#clients) await client.end();
    await this.server.asAdmin((client) => client.query(`DROP DATABASE ${this.name} WITH (FORCE)`));
  }
}
