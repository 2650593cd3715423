import type pg from 'pg';

/** Advisory lock of this schema: two owners who migrate at once wait for each other. */
const lock = 5_021_700_101;

interface Migration {
  /** Folder of the SQL files. */
  readonly dir: string;
  readonly direction: 'up' | 'down';
  /** Default: all upwards, one downwards. */
  readonly count?: number;
}

/** Applies missing migrations, or reverts the newest ones. Returns their names. @throws errors of the database */
export async function migrate(client: pg.Client, { dir, direction, count }: Migration): Promise<readonly string[]> {
  const { runner } = await import('node-pg-migrate');
  const quiet = (): void => undefined;
  const done = await runner({
    dbClient: client,
    dir,
    direction,
    ...(count !== undefined && { count }),
    schema: 'vitrine',
    createSchema: true,
    migrationsSchema: 'vitrine',
    createMigrationsSchema: true,
    migrationsTable: 'migrations',
    singleTransaction: true,
    lockValue: lock,
    advisoryLockMode: 'wait',
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  return done.map(({ name }) => name);
}
