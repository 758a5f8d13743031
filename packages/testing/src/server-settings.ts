import type pg from 'pg'

/**
 * Sets up a server for databases that live for seconds, of which autovacuum would visit each in turn: a tenth of the work of
 * the server. Without statistics PostgreSQL takes small tables for large ones and starts processes for a part of their rows: 15
 * of the 35 s of CPU of apps/directory/test/hostile-input.test.ts. Soak tests fill theirs, and keep the defaults.
 */
export async function configureShortLived(admin: pg.Client): Promise<void> {
  if (process.env.SIGNET_TEST_SIZE === 'soak') return
  await admin.query('ALTER SYSTEM SET autovacuum = off')
  await admin.query('ALTER SYSTEM SET max_parallel_workers_per_gather = 0')
  await admin.query('SELECT pg_reload_conf()')
}
