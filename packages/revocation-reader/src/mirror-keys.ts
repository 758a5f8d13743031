import { hash } from 'node:crypto'
import type { RevocationFacts } from '@signet/token-format/revocation-facts'

/**
 * The Redis mirror of revocations. Every key carries its shard as a hash tag, so that one check is one MGET in one
 * slot. `token` alone writes; losing the mirror costs speed, never safety, because `fill` goes with it.
 *
 * | key | value | lives |
 * |---|---|---|
 * | `signet:{rv<n>}:fill` | identity of the server that was filled (`server-identity.ts`) | until the server forgets it |
 * | `signet:{rv<n>}:pending` | id of the refill under way | 60 s |
 * | `signet:{rv<n>}:t:<jti>` `g:<grant>` `s:<sid>` `k:<kid>` | `1`: ended | MIRROR_TTL_SECONDS |
 * | `signet:{rv<n>}:u:<user>` `c:<client>` `o:<organization>` | published epoch | MIRROR_TTL_SECONDS |
 * | `signet:{rv0}:log` | stream of everything that was written above, in one place (`revocation-log.ts`) | the last 10,000 |
 */
export const SHARDS = 16

/** The longest life of an access token plus a minute: after that nothing is left that the entry could end. */
export const MIRROR_TTL_SECONDS = 24 * 60 * 60 + 60

/** What a revocation ends: a token, a grant, a session, a key, a user, a client, an organization. */
export type RevocationKind = 't' | 'g' | 's' | 'k' | 'u' | 'c' | 'o'

/** Kinds that concern more than one subject and are therefore written to every shard. */
export const KINDS_IN_EVERY_SHARD: ReadonlySet<RevocationKind> = new Set(['k', 'c', 'o'])

/** The shard of a subject: the first byte of its SHA-256, modulo SHARDS. */
export function shardOf(subject: string): number {
  return hash('sha256', subject, 'buffer').readUInt8(0) % SHARDS
}

export function fillKey(shard: number): string {
  return `signet:{rv${shard}}:fill`
}

export function pendingKey(shard: number): string {
  return `signet:{rv${shard}}:pending`
}

/** The shard whose server also keeps the log. */
export const LOG_SHARD = 0

export const LOG_KEY = `signet:{rv${LOG_SHARD}}:log`

export function kindOf(entry: string): string {
  return entry.charAt(0)
}

export function idOf(entry: string): string {
  return entry.slice(2)
}

/** Of an entry in a shard. */
export function mirrorKey(shard: number, entry: string): string {
  return `signet:{rv${shard}}:${entry}`
}

/** A fact to look up, with the epoch under which it was made; without one any entry ends it. */
export interface Mark {
  readonly kind: RevocationKind
  readonly id: string
  readonly epoch?: number
}

/** The marks of a token or session, in the order they are asked for. */
export function marksOf(facts: RevocationFacts): readonly Mark[] {
  const marks: Mark[] = []
  if (facts.tokenId !== undefined) marks.push({ kind: 't', id: facts.tokenId })
  if (facts.grantId !== undefined) marks.push({ kind: 'g', id: facts.grantId })
  if (facts.sid !== undefined) marks.push({ kind: 's', id: facts.sid })
  if (facts.kid !== undefined) marks.push({ kind: 'k', id: facts.kid })
  if (facts.user !== undefined) marks.push({ kind: 'u', ...facts.user })
  if (facts.client !== undefined) marks.push({ kind: 'c', ...facts.client })
  for (const organization of facts.organizations) marks.push({ kind: 'o', ...organization })
  return marks
}

/** How an end is named in memory and in the log, and behind the shard in the mirror. */
export function entryOf({ kind, id }: Pick<Mark, 'kind' | 'id'>): string {
  return `${kind}:${id}`
}
