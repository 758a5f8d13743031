import { Secret } from '@signet/platform/config/settings-fields'
import { Redis } from 'ioredis'
import { inject } from 'vitest'
import { embeddedRedis } from './backing-services.ts'
import './provided-context.ts'

export interface TestRedis {
  readonly url: Secret
  /** Gives the database back, emptied; ends a private server and deletes its data. */
  drop(): Promise<void>
}

// A run that was killed returns nothing; a server that is kept for many runs gets its databases back after this.
const CLAIM_SECONDS = 3_600
// The default of Redis, for servers that refuse CONFIG GET.
const DEFAULT_DATABASES = 16

/**
 * An empty numbered database of the shared server that no other test file uses meanwhile. Channels, scripts and
 * `INFO` are shared by the whole server; a test that depends on them asks for `startPrivateRedis`.
 */
export async function createTestRedis(): Promise<TestRedis> {
  const redisUrl = inject('redisUrl')
  const number = await withRedis(redisUrl, claimDatabase)
  const url = new URL(redisUrl)
  url.pathname = `/${number}`
  const empty = () => withRedis(url.href, (client) => client.flushdb())
  await empty()
  return {
    url: new Secret(url.href),
    drop: async () => {
      await empty()
      await withRedis(redisUrl, (client) => client.del(claimKey(number)))
    },
  }
}

/** A Redis server that only the caller uses: with a `run_id`, channels and a configuration of its own. */
export async function startPrivateRedis(): Promise<TestRedis> {
  const { url, stop } = await embeddedRedis()
  return { url: new Secret(url), drop: stop }
}

async function claimDatabase(client: Redis): Promise<number> {
  const [, databases = DEFAULT_DATABASES] = await client.config('GET', 'databases').catch(() => [])
  for (let number = 1; number < Number(databases); number += 1) {
    if ((await client.set(claimKey(number), inject('runId'), 'EX', CLAIM_SECONDS, 'NX')) === 'OK')
      return number
  }
  throw new Error(
    `all ${databases} databases of the Redis server are in use by tests; drop what createTestRedis gave`,
  )
}

function claimKey(number: number): string {
  return `signet:testkit:database:${number}`
}

async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1 })
  try {
    await client.connect()
    return await work(client)
  } finally {
    client.disconnect()
  }
}
