import type { Redis } from '@signet/platform/redis/client'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import type { z } from 'zod'
import { reach, unavailable } from './dependency.ts'

/** Signs the records of one kind that this service keeps in Redis, and refuses those that it did not sign. */
export interface SignedRecords<T> {
  /** The text to store under this Redis key. */
  seal(key: string, record: T): string
  /** What was sealed for this Redis key; undefined for null and for any text that `seal` did not make for it. */
  open(key: string, text: string | null): T | undefined
}

export interface SignedRecordOptions<T> {
  /** Newest first: the first one signs, all of them verify. */
  readonly masterKeys: readonly Buffer[]
  /** Names the kind of record; each purpose has a subkey of its own. */
  readonly purpose: string
  /**
   * Of the database; each generation above 0 has a subkey of its own, so that a record from before a restore counts as
   * none. Left out for records that end nothing and prove nothing.
   */
  readonly generation?: number
  /** Reads back what `seal` was given; a record of another release that it rejects counts as none. */
  readonly schema: z.ZodType<T>
}

const TEXT = /^([A-Za-z0-9_-]{43})\.(.*)$/s

/**
 * A record is `<mac>.<JSON>` with an HMAC-SHA-256 over Redis key, line feed and JSON. Text that is valid under one key is
 * worth nothing under another. JSON holds no line feed, so the two parts cannot be shifted.
 */
export function signedRecords<T>(options: SignedRecordOptions<T>): SignedRecords<T> {
  const { masterKeys, purpose, generation = 0, schema } = options
  const mac = createMasterKeyMac(masterKeys, generation === 0 ? purpose : `${purpose} ${generation}`)
  return {
    seal(key, record) {
      const json = JSON.stringify(record)
      return `${mac.of(`${key}\n${json}`).toString('base64url')}.${json}`
    },
    open(key, text) {
      const [, tag = '', json = ''] = TEXT.exec(text ?? '') ?? []
      if (!mac.matches(`${key}\n${json}`, Buffer.from(tag, 'base64url'))) return undefined
      return schema.safeParse(JSON.parse(json)).data
    },
  }
}

/** What takes the place of a record; undefined removes it. Without `keepSeconds` it keeps its time to live. */
interface Change<T> {
  readonly to: T | undefined
  readonly keepSeconds?: number
}

// Writes only what replaces the text that was read. ARGV: that text, the new text or '', seconds or ''.
const COMPARE_AND_SET = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
elseif ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
else redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3]) end
return 1`

const MOST_TRIES = 20

/**
 * Changes the record under a key. When another writer was faster, `change` is asked again about the new record, up to
 * 20 times; then TemporarilyUnavailableError is thrown. `change` returns undefined to leave the record as it is.
 * Resolves with the record before and after; undefined where the key holds none.
 */
export async function changeRecord<T>(
  redis: Redis,
  { key, records }: { readonly key: string; readonly records: SignedRecords<T> },
  change: (record: T) => Promise<Change<T> | undefined>,
): Promise<{ readonly before: T; readonly after: T | undefined } | undefined> {
  for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
    const text = await reach('redis', () => redis.get(key))
    const before = records.open(key, text)
    if (text === null || before === undefined) return undefined
    const changed = await change(before)
    if (changed === undefined) return { before, after: before }
    const { to, keepSeconds } = changed
    const next = to === undefined ? '' : records.seal(key, to)
    const written = await reach('redis', () =>
      redis.eval(COMPARE_AND_SET, 1, key, text, next, keepSeconds === undefined ? '' : `${keepSeconds}`),
    )
    if (written === 1) return { before, after: to }
  }
  throw unavailable('redis', new Error(`other writers changed a record ${MOST_TRIES} times in a row`))
}
