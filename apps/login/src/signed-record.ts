import type { Redis } from '@signet/platform/redis/connection'
import { createScript, runScript } from '@signet/platform/redis/script'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import type { z } from 'zod'
import { queryStore, unavailable } from './dependency.ts'

/** Signs the Redis records of one kind and rejects records without a valid signature. */
interface SignedRecords<T> {
  /** Returns the text to store under this Redis key. */
  sign(key: string, record: T): string
  /** Returns the record of a text that `sign` made for this Redis key, otherwise undefined. */
  verify(key: string, text: string | null): T | undefined
}

export interface SignedRecordOptions<T> {
  /** Newest first: the first one signs, all of them verify. */
  readonly masterKeys: readonly Buffer[]
  /** Names the kind of record; each purpose has its own subkey. */
  readonly purpose: string
  /**
   * Generation of the database. Each generation above 0 has its own subkey, so a record from before a restore counts as
   * absent. Omitted for records that neither revoke nor authenticate anything.
   */
  readonly generation?: number
  /** Parses the record. A record of another release that the schema rejects counts as absent. */
  readonly schema: z.ZodType<T>
}

const TEXT = /^([A-Za-z0-9_-]{43})\.(.*)$/s

/**
 * A record is `<mac>.<JSON>` with an HMAC-SHA-256 over Redis key, line feed and JSON. A record copied to another key is
 * invalid. JSON contains no line feed, so key and JSON cannot be shifted against each other.
 */
export function signedRecords<T>(options: SignedRecordOptions<T>): SignedRecords<T> {
  const { masterKeys, purpose, generation = 0, schema } = options
  const mac = createMasterKeyMac(masterKeys, generation === 0 ? purpose : `${purpose} ${generation}`)
  return {
    sign(key, record) {
      const json = JSON.stringify(record)
      return `${mac.of(`${key}\n${json}`).toString('base64url')}.${json}`
    },
    verify(key, text) {
      const [, tag = '', json = ''] = TEXT.exec(text ?? '') ?? []
      if (!mac.matches(`${key}\n${json}`, Buffer.from(tag, 'base64url'))) return undefined
      return schema.safeParse(JSON.parse(json)).data
    },
  }
}

/** The new record; undefined deletes it. Without `ttlSeconds` the time to live stays. */
interface Change<T> {
  readonly to: T | undefined
  readonly ttlSeconds?: number
}

// Writes only if the key still holds the text that was read. ARGV: that text, the new text or '', seconds or ''.
const COMPARE_AND_SET = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
elseif ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
else redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3]) end
return 1`)

const MAX_TRIES = 20

interface StoredRecord<T> {
  readonly key: string
  readonly records: SignedRecords<T>
  /** The text under the key as it was read before; it saves reading it. */
  readonly text?: string | null | undefined
}

/**
 * Changes the record under a key. After a concurrent write it calls `change` again with the new record, up to 20 times,
 * and then throws TemporarilyUnavailableError. `change` returns undefined to leave the record unchanged. Returns the
 * record before and after the change, and undefined where the key holds none.
 */
export async function changeRecord<T>(
  redis: Redis,
  { key, records, text: known }: StoredRecord<T>,
  change: (record: T) => Promise<Change<T> | undefined>,
): Promise<{ readonly before: T; readonly after: T | undefined } | undefined> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const isKnown = attempt === 0 && known !== undefined
    const text = isKnown ? known : await queryStore('redis', () => redis.get(key))
    const before = records.verify(key, text)
    if (text === null || before === undefined) return undefined
    const changed = await change(before)
    if (changed === undefined) return { before, after: before }
    const { to, ttlSeconds } = changed
    const next = to === undefined ? '' : records.sign(key, to)
    const written = await queryStore('redis', () =>
      runScript(redis, COMPARE_AND_SET, [key], [text, next, ttlSeconds ?? '']),
    )
    if (written === 1) return { before, after: to }
  }
  throw unavailable('redis', new Error(`other writers changed a record ${MAX_TRIES} times in a row`))
}
