import type { Logger } from '../logger/logger.ts'
import type { Queryable } from './pool.ts'

/**
 * Logs a warning when PostgreSQL reports a commit before it is on disk, whether by a setting of the server, the database
 * or the role. For the service that promises that what it ended stays ended.
 */
export async function warnUnlessDurable(database: Queryable, logger: Logger): Promise<void> {
  const { rows } = await database.query<{ level: string }>({
    name: 'durability.synchronous_commit',
    text: `SELECT current_setting('synchronous_commit') AS level`,
  })
  if (rows[0]?.level !== 'off') return
  logger.warn('synchronous_commit_off', {
    reason:
      'a crash of PostgreSQL loses the commits of its last moments: what was revoked or signed out in them is valid again; set synchronous_commit to on',
  })
}
