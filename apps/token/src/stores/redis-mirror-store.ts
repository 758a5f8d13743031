import { randomUUID } from 'node:crypto'
import type { Redis } from '@signet/redis/client'
import {
  fillKey,
  KINDS_IN_EVERY_SHARD,
  MIRROR_TTL_SECONDS,
  pendingKey,
  revocationKey,
  SHARDS,
  shardOf,
} from '@signet/revocation-reader/mirror-keys'
import type { ServerIdentity } from '@signet/revocation-reader/server-identity'
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

// KEYS[1] pending, KEYS[2] fill; ARGV[1] id of this refill, ARGV[2] run_id. A flush in between took `pending` away.
const DECLARE_WHOLE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('DEL', KEYS[1])
return 1`

export class RedisMirrorStore implements MirrorStore {
  readonly #redis: Redis
  readonly #server: ServerIdentity

  constructor(redis: Redis, server: ServerIdentity) {
    this.#redis = redis
    this.#server = server
  }

  async write(revocations: readonly Revocation[]): Promise<void> {
    await this.#writeTo(new Set(ALL_SHARDS), revocations)
  }

  async shardsToFill(): Promise<readonly number[] | undefined> {
    const runId = this.#server.runId()
    if (runId === undefined) return undefined
    const fills = await Promise.all(ALL_SHARDS.map((shard) => this.#redis.get(fillKey(shard))))
    return ALL_SHARDS.filter((shard) => fills[shard] !== runId)
  }

  async fill(shards: readonly number[], load: () => Promise<readonly Revocation[]>): Promise<void> {
    const runId = this.#server.runId()
    if (runId === undefined || shards.length === 0) return
    const refill = randomUUID()
    await Promise.all(
      shards.map((shard) => this.#redis.set(pendingKey(shard), refill, 'EX', PENDING_TTL_SECONDS)),
    )
    // Read only after `pending` stands: what is committed later is written by whoever commits it.
    await this.#writeTo(new Set(shards), await load())
    await Promise.all(
      shards.map((shard) =>
        this.#redis.eval(DECLARE_WHOLE, 2, pendingKey(shard), fillKey(shard), refill, runId),
      ),
    )
  }

  async #writeTo(shards: ReadonlySet<number>, revocations: readonly Revocation[]): Promise<void> {
    const entries = revocations.flatMap((revocation) =>
      shardsOf(revocation)
        .filter((shard) => shards.has(shard))
        .map((shard) => ({
          key: revocationKey(shard, revocation.kind, revocation.id),
          value: revocation.value,
        })),
    )
    for (let start = 0; start < entries.length; start += WRITES_AT_ONCE) {
      const batch = entries.slice(start, start + WRITES_AT_ONCE)
      await Promise.all(
        batch.map(({ key, value }) => this.#redis.eval(RAISE, 1, key, value, MIRROR_TTL_SECONDS)),
      )
    }
  }
}

function shardsOf({ kind, id, subject }: Revocation): readonly number[] {
  if (KINDS_IN_EVERY_SHARD.has(kind)) return ALL_SHARDS
  if (subject === undefined) throw new Error(`a revocation of kind ${kind} needs the subject of ${id}`)
  return [shardOf(subject)]
}
