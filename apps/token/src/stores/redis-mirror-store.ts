import { randomUUID } from 'node:crypto'
import type { Redis } from '@signet/redis/client'
import {
  entryOf,
  fillKey,
  KINDS_IN_EVERY_SHARD,
  LOG_SHARD,
  MIRROR_TTL_SECONDS,
  mirrorKey,
  pendingKey,
  SHARDS,
  shardOf,
} from '@signet/revocation-reader/mirror-keys'
import type { IdentifiedServer, ServerIdentity } from '@signet/revocation-reader/server-identity'
import { appendToLog, closeLog, openLog, renewLog } from './mirror-log.ts'
import type { MirrorStore } from './mirror-store.ts'
import type { Revocation } from './revocation-store.ts'

const PENDING_TTL_SECONDS = 60
const WRITES_AT_ONCE = 500
const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard)

// KEYS[1] entry; ARGV[1] value, ARGV[2] seconds to live. Keeps the higher value and the later end.
const RAISE = `
local value = redis.call('GET', KEYS[1])
local left = redis.call('TTL', KEYS[1])
if value and tonumber(value) > tonumber(ARGV[1]) then ARGV[1] = value end
if left > tonumber(ARGV[2]) then ARGV[2] = left end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1`

// KEYS[1] pending, KEYS[2] fill; ARGV[1] id of this refill, ARGV[2] identity. A flush in between took `pending` away.
const DECLARE_WHOLE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('DEL', KEYS[1])
return 1`

interface Entry {
  readonly shard: number
  readonly key: string
  readonly value: number
}

interface ShardToFill extends IdentifiedServer {
  readonly shard: number
}

export class RedisMirrorStore implements MirrorStore {
  readonly #redis: Redis
  readonly #servers: ServerIdentity
  /** The server that each shard had when this process last found it whole. */
  readonly #lastServer = new Map<number, string>()

  constructor(redis: Redis, servers: ServerIdentity) {
    this.#redis = redis
    this.#servers = servers
  }

  async write(revocations: readonly Revocation[]): Promise<void> {
    await Promise.all([
      raiseAll(this.#redis, revocations.flatMap(entriesOf)),
      appendToLog(this.#redis, revocations),
    ])
  }

  async shardsToFill(): Promise<readonly number[] | undefined> {
    await this.#servers.check()
    const owned = ALL_SHARDS.flatMap((shard) => this.#owned(shard))
    if (owned.length === 0) return undefined
    const asked = await Promise.allSettled(
      owned.map(async ({ shard, connection, identity }) => {
        const whole = (await connection.get(fillKey(shard))) === identity
        const before = this.#lastServer.get(shard)
        if (whole) this.#lastServer.set(shard, identity)
        // What this process wrote to a deposed primary after its successor had been filled is in neither.
        return whole && (before === undefined || before === identity) ? [] : [shard]
      }),
    )
    return asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }

  async fill(shards: readonly number[], load: () => Promise<readonly Revocation[]>): Promise<void> {
    const refill = randomUUID()
    // Everything goes over the connection whose server is known, so a shard that moves meanwhile is not declared whole.
    const opened = await onEach(
      shards.flatMap((shard) => this.#owned(shard)),
      ({ shard, connection }) => connection.set(pendingKey(shard), refill, 'EX', PENDING_TTL_SECONDS),
    )
    if (opened.done.length > 0) {
      // Read only after `pending` stands: what is committed later is written by whoever commits it.
      const entries = ALL_SHARDS.map((): Entry[] => [])
      for (const entry of (await load()).flatMap(entriesOf)) entries[entry.shard]?.push(entry)
      const filled = await onEach(opened.done, async ({ shard, connection, identity }) => {
        await raiseAll(connection, entries[shard] ?? [])
        if (shard === LOG_SHARD) await renewLog(connection)
        const keys = [pendingKey(shard), fillKey(shard)]
        if ((await connection.eval(DECLARE_WHOLE, 2, ...keys, refill, identity)) === 1) {
          this.#lastServer.set(shard, identity)
        }
      })
      opened.errors.push(...filled.errors)
    }
    if (opened.errors.length > 0) throw new AggregateError(opened.errors, 'Redis did not take every shard')
  }

  async openLog(): Promise<void> {
    await openLog(this.#redis)
  }

  async closeLog(): Promise<void> {
    await closeLog(this.#redis)
  }

  #owned(shard: number): readonly ShardToFill[] {
    const server = this.#servers.ownerOf(shard)
    return server === undefined ? [] : [{ shard, ...server }]
  }
}

/** One shard that fails, on a primary of its own perhaps, does not keep the others from being filled. */
async function onEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>) {
  const done: T[] = []
  const errors: unknown[] = []
  await Promise.all(
    items.map((item) =>
      work(item).then(
        () => done.push(item),
        (error: unknown) => errors.push(error),
      ),
    ),
  )
  return { done, errors }
}

async function raiseAll(redis: Redis, entries: readonly Entry[]): Promise<void> {
  for (let start = 0; start < entries.length; start += WRITES_AT_ONCE) {
    const batch = entries.slice(start, start + WRITES_AT_ONCE)
    await Promise.all(batch.map(({ key, value }) => redis.eval(RAISE, 1, key, value, MIRROR_TTL_SECONDS)))
  }
}

function entriesOf(revocation: Revocation): readonly Entry[] {
  const entry = entryOf(revocation)
  return shardsOf(revocation).map((shard) => ({
    shard,
    key: mirrorKey(shard, entry),
    value: revocation.value,
  }))
}

function shardsOf({ kind, id, subject }: Revocation): readonly number[] {
  if (KINDS_IN_EVERY_SHARD.has(kind)) return ALL_SHARDS
  if (subject === undefined) throw new Error(`a revocation of kind ${kind} needs the subject of ${id}`)
  return [shardOf(subject)]
}
