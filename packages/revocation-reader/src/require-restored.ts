import type { Queryable } from '@signet/platform/postgres/pool'
import { StartFailure } from '@signet/platform/process/service'
import type { Redis } from '@signet/platform/redis/connection'
import { generationOfLog } from './read-log.ts'

/** The message to an operator when PostgreSQL lacks endings that the log has. */
export function notRestored(why: string): StartFailure {
  return new StartFailure(
    `${why}: PostgreSQL was restored from a backup. Stop every service and run \`signet-migrate restored\`, see docs/runbooks/back-up-and-restore.md`,
  )
}

/**
 * Returns the generation of the database. Throws StartFailure when the newest entry of the log names a higher one; a
 * Redis that is away says nothing about it.
 */
export async function requireRestored(database: Queryable, redis: Redis): Promise<number> {
  const { rows } = await database.query<{ value: number }>({
    name: 'generation.published', // one row
    text: 'SELECT value FROM grants_read.generation_v1',
  })
  const ofLog = await generationOfLog(redis).catch(() => undefined)
  const ofDatabase = rows[0]?.value ?? 0
  if (ofLog === undefined || ofLog <= ofDatabase) return ofDatabase
  throw notRestored(`the log of endings has generation ${ofLog}, the database ${ofDatabase}`)
}
