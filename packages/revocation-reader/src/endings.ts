import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { RevocationKeys } from '@signet/tokens/access-token'

/**
 * The object of an ending: an access token, a personal access token, a grant, a session, a user, a client, an
 * organization, a key.
 */
export const ENDING_KINDS = ['t', 'p', 'g', 's', 'u', 'c', 'o', 'k'] as const

export type EndingKind = (typeof ENDING_KINDS)[number]

/** A record that something has ended. */
export interface Ending {
  readonly kind: EndingKind
  readonly id: string
  /** 1, or for users, clients and organizations the epoch below which everything is dead. */
  readonly value: number
  /** Seconds until nothing is left that it could end; infinite for a key. */
  readonly secondsLeft: number
}

/** The longest life of an access token plus a minute: how long an ending of a grant, session or epoch is kept. */
export const ENDING_SECONDS = 24 * 60 * 60 + 60

/** Most endings in one entry of the log. */
export const ENDINGS_PER_ENTRY = 1_000

/** The stream of endings in Redis. `token` alone writes it. */
export const LOG_KEY = 'signet:endings'

/**
 * The fields of an entry of the log, for XADD. `generation` is that of the database. No endings make an anchor, which
 * only keeps the log from being without a recent entry. `key` is the one that only `token` holds.
 */
export function entryFields(
  endings: readonly Ending[],
  generation: number,
  key: KeyObject | Buffer,
  now: Date,
): readonly string[] {
  const rows = endings.map(({ kind, id, value, secondsLeft }) => [
    kind,
    id,
    value,
    Number.isFinite(secondsLeft) ? Math.ceil(secondsLeft) : null,
  ])
  const signed = {
    generation: String(generation),
    made: String(now.getTime()),
    endings: JSON.stringify(rows),
  }
  return [...Object.entries(signed).flat(), 'mac', macOf(signed, key)]
}

/** The first two hold no space. */
function macOf(
  { generation, made, endings }: Record<'generation' | 'made' | 'endings', string>,
  key: KeyObject | Buffer,
) {
  return createHmac('sha256', key).update(`${generation} ${made} ${endings}`).digest('base64url')
}

// Readers hold no key, so an entry counts for them only when every service can keep it: partitions reach two days ahead,
// and later epochs and generations are higher.
const MOST_SECONDS_LEFT = 2 * 86_400
const MOST_VALUE = 2 ** 40
/** Limit of a generation: the year 2286. */
const MOST_GENERATION = 9_999_999_999
const FIELD_NAMES = ['generation', 'made', 'endings', 'mac']

/** The fields of a log entry. */
export interface Entry {
  readonly generation: number
  /** Time by the clock of `token`, in milliseconds. */
  readonly madeAt: number
  readonly endings: readonly Ending[]
}

/** Reads an entry of the log without a proof that `token` wrote it; undefined for one of another form. */
export function readEntry(fields: readonly string[]): Entry | undefined {
  if (fields.length !== 8 || FIELD_NAMES.some((name, n) => fields[2 * n] !== name)) return undefined
  const [generation, madeAt] = [Number(fields[1]), Number(fields[3])]
  const rows = parseJson(fields[5] ?? '')
  if (!isWithin(generation, 0, MOST_GENERATION) || !isWithin(madeAt, 0, Number.MAX_SAFE_INTEGER))
    return undefined
  if (!Array.isArray(rows)) return undefined
  const endings = rows.map(readEnding)
  return endings.includes(undefined)
    ? undefined
    : { generation, madeAt, endings: endings as readonly Ending[] }
}

/** Reads an entry that `token` wrote; undefined for every other. */
export function readProvenEntry(fields: readonly string[], key: KeyObject | Buffer): Entry | undefined {
  const [, generation = '', , made = '', , endings = '', , mac = ''] = fields
  const expected = Buffer.from(macOf({ generation, made, endings }, key))
  const given = Buffer.from(mac)
  return given.length === expected.length && timingSafeEqual(given, expected) ? readEntry(fields) : undefined
}

function readEnding(row: unknown): Ending | undefined {
  if (!Array.isArray(row) || row.length !== 4) return undefined
  const [kind, id, value, left] = row as readonly unknown[]
  if (!isEndingKind(kind) || typeof id !== 'string' || id === '' || id.includes('\0')) return undefined
  if (!isWithin(value, 1, MOST_VALUE)) return undefined
  if (left === null ? kind !== 'k' : !isWithin(left, 1, MOST_SECONDS_LEFT)) return undefined
  return {
    kind,
    id,
    value: value as number,
    secondsLeft: (left as number | null) ?? Number.POSITIVE_INFINITY,
  }
}

function isWithin(number: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(number) && (number as number) >= least && (number as number) <= most
}

function isEndingKind(kind: unknown): kind is EndingKind {
  return ENDING_KINDS.some((known) => known === kind)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The kind and id of one ending that revokes a token or session; `epoch`, where the kind has one, is that of the token. */
export interface RevocationKey {
  readonly kind: EndingKind
  readonly id: string
  readonly epoch?: number
}

/** Lists the revocation keys of a token or session, in the order in which they are looked up. */
export function listRevocationKeys(keys: RevocationKeys): readonly RevocationKey[] {
  const list: RevocationKey[] = []
  if (keys.tokenId !== undefined) list.push({ kind: 't', id: keys.tokenId })
  if (keys.personalTokenId !== undefined) list.push({ kind: 'p', id: keys.personalTokenId })
  if (keys.grantId !== undefined) list.push({ kind: 'g', id: keys.grantId })
  if (keys.sid !== undefined) list.push({ kind: 's', id: keys.sid })
  if (keys.kid !== undefined) list.push({ kind: 'k', id: keys.kid })
  if (keys.user !== undefined) list.push({ kind: 'u', ...keys.user })
  if (keys.client !== undefined) list.push({ kind: 'c', ...keys.client })
  for (const organization of keys.organizations) list.push({ kind: 'o', ...organization })
  return list
}

/**
 * The id under which the end of a personal access token is recorded; `directory` makes the same in SQL. A token id
 * names a token of one user only. No id holds a space.
 */
export function personalTokenId(userId: string, tokenId: string): string {
  return `${userId} ${tokenId}`
}

const IMPERSONATION = 'impersonation'

/**
 * The id under which the end of an impersonation is recorded: as a personal access token of a user with this name; `directory` makes the
 * same in SQL.
 */
export const impersonationTokenId = (impersonationId: string): string =>
  personalTokenId(IMPERSONATION, impersonationId)

const isOfImpersonation = (tokenId: string | undefined) => tokenId?.startsWith(`${IMPERSONATION} `) === true

/** Whether a token rests on the session of an administrator who signed in as another person. */
export function restsOnImpersonation(origins: readonly RevocationKeys[] = []): boolean {
  return origins.some((origin) => isOfImpersonation(origin.personalTokenId))
}

const SID_BYTES = 16
const sidOf = (tokenId: string) =>
  createHash('sha256').update(tokenId).digest().subarray(0, SID_BYTES).toString('base64url')

/** The `sid` of the session of an impersonation. It follows from the id, so that the end of the impersonation names the session. */
export const impersonationSid = (impersonationId: string): string =>
  sidOf(impersonationTokenId(impersonationId))

/** The `sid` of each impersonation among ids of personal access tokens. */
export const sidsOfImpersonations = (tokenIds: readonly string[]): readonly string[] =>
  tokenIds.filter(isOfImpersonation).map(sidOf)

/**
 * The ending of a personal access token, beside its deletion, which a fail-over of PostgreSQL can lose. It has no generation:
 * `signet-migrate restored` deletes those that ended.
 */
export function personalTokenKeys(userId: string, tokenId: string) {
  return {
    personalTokenId: personalTokenId(userId, tokenId),
    generation: Number.POSITIVE_INFINITY,
    organizations: [],
  } satisfies RevocationKeys
}
