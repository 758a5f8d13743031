import type { Environment } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { createPool, type Database, type Queryable } from '@signet/platform/postgres/pool'
import type { DatabaseRole } from '@signet/platform/postgres/roles'
import { SERVICE_NAMES, StartFailure } from '@signet/platform/process/service'
import { connectRedis, createRedis } from '@signet/platform/redis/client'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { readLog } from '@signet/revocation-reader/read-log'
import { readRestoredConfig } from './config.ts'
import { requireStopped } from './require-stopped.ts'

interface Options {
  /** Prints what it would do and changes nothing. */
  readonly dryRun: boolean
  readonly now: Date
  readonly print: (line: string) => void
}

/** Ids of endings that `token` wrote to the log in Redis, for objects that are active in the backup. */
interface EndedInLog {
  /** Ids as `personalTokenId` makes them. */
  readonly personalTokens: readonly string[]
  readonly keys: readonly string[]
  /** The highest generation of an entry. */
  readonly generation: number
  /** How many entries `token` did not write. */
  readonly unproven: number
}

interface Done {
  readonly part: string
  readonly number: number
}

class RolledBack extends Error {}

/**
 * Runs after PostgreSQL was restored from a backup and before services start (docs/runbooks): a new generation, which
 * revokes every earlier session, grant and token; new keys; feeds that are read again; claims that are released.
 * Running it again before services start has the same effect. Throws StartFailure when a service is connected, or a
 * server cannot be used.
 */
export async function markRestored(env: Environment, { dryRun, now, print }: Options): Promise<void> {
  const { adminUrl, redisUrl } = readRestoredConfig(env)
  const database = createPool({ url: adminUrl, applicationName: 'signet-migrate', max: 1, kind: 'long' })
  try {
    const inLog =
      redisUrl === undefined
        ? { personalTokens: [], keys: [], generation: 0, unproven: 0 }
        : await endedInLog(redisUrl, await readLogKey(database))
    await requireStopped(database, SERVICE_NAMES)
    for (const { part, number } of await restored(database, inLog, now, dryRun)) print(`${part}: ${number}`)
    if (redisUrl === undefined) print('log of endings: not read, SIGNET_REDIS_URL is not set')
    if (inLog.unproven > 0) print(`entries of the log that token did not write, ignored: ${inLog.unproven}`)
    await printLiveSecrets(database, print)
    print(dryRun ? 'nothing was changed' : 'services may start')
  } catch (error) {
    if (error instanceof DependencyUnavailableError) {
      throw new StartFailure(`PostgreSQL cannot be used: ${String(error.cause)}`, { cause: error })
    }
    throw error
  } finally {
    await database.close()
  }
}

async function restored(
  database: Database,
  { personalTokens, keys, generation }: EndedInLog,
  now: Date,
  dryRun: boolean,
): Promise<readonly Done[]> {
  const done: Done[] = []
  const work = async (tx: Queryable) => {
    done.push(...(await as(tx, 'signet_token', 'grants.restored($1, $2, $3)', [now, keys, generation])))
    done.push(...(await as(tx, 'signet_directory', 'directory.restored($1)', [personalTokens])))
    done.push(...(await as(tx, 'signet_keys', 'keys.restored($1)', [now])))
    done.push(...(await as(tx, 'signet_migration', 'migration.restored()', [])))
    done.push(...(await as(tx, 'signet_federation', 'federation.restored()', [])))
    if (dryRun) throw new RolledBack()
  }
  try {
    await database.transaction(work)
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  return done
}

/** Calls a function of a schema as the role that owns it. */
async function as(tx: Queryable, role: DatabaseRole, call: string, values: readonly unknown[]) {
  await tx.query({ name: '', text: `SET LOCAL ROLE ${role}` })
  const { rows } = await tx.query<Done>({ name: '', text: `SELECT part, number FROM ${call}`, values })
  return rows
}

/** Proves which entries of the log `token` wrote. */
function readLogKey(database: Database): Promise<Buffer> {
  return database.transaction(async (tx) => {
    await tx.query({ name: '', text: 'SET LOCAL ROLE signet_token' })
    const { rows } = await tx.query<{ key: Buffer }>({ name: '', text: 'SELECT key FROM grants.log_key' })
    if (rows[0] === undefined) throw new Error('grants.log_key has no row')
    return rows[0].key
  })
}

async function endedInLog(url: Secret, key: Buffer): Promise<EndedInLog> {
  const redis = createRedis({ url, name: 'migrate' })
  await connectRedis(redis)
  const ids = { p: new Set<string>(), k: new Set<string>() }
  let generation = 0
  let unproven = 0
  try {
    for await (const page of readLog(redis, key)) {
      unproven += page.unproven
      for (const entry of page.entries) generation = Math.max(generation, entry.generation)
      for (const { kind, id } of page.entries.flatMap(({ endings }) => endings)) {
        if (kind === 'p' || kind === 'k') ids[kind].add(id)
      }
    }
  } finally {
    redis.disconnect()
  }
  return { personalTokens: [...ids.p], keys: [...ids.k], generation, unproven }
}

interface LiveSecret {
  readonly kind: string
  readonly id: string
  readonly owner: string
  readonly organization_id: string
  readonly created_at: Date
  readonly expires_at: Date | null
}

async function printLiveSecrets(database: Queryable, print: (line: string) => void): Promise<void> {
  const { rows } = await database.query<LiveSecret>({
    name: '',
    text: 'SELECT * FROM directory.live_secrets()',
  })
  print(`may have been revoked since the backup, and work again: ${rows.length}`)
  for (const { kind, id, owner, organization_id, created_at, expires_at } of rows) {
    const end = expires_at === null ? 'never' : expires_at.toISOString()
    const of = `of ${owner} in ${organization_id}`
    print(`  ${kind} ${id} ${of}, created ${created_at.toISOString()}, expires ${end}`)
  }
}
