import type { Clock } from '../runtime/clock.ts'
import type { Redis } from './connection.ts'
import { defineKeyspaces } from './keyspaces.ts'

/**
 * Kinds of things that may be used once: client assertions (RFC 7523 section 3), DPoP proofs (RFC 9449 section 11.1) and identity
 * assertions of other issuers.
 * Each has a name space of its own in Redis, which ACL users name (`users.ts`).
 */
export const REPLAY_KINDS = ['client-assertion', 'dpop-proof', 'identity-assertion'] as const

export type ReplayKind = (typeof REPLAY_KINDS)[number]

const keyspaces = defineKeyspaces('replay', {
  used: {
    pattern: '{kind}:used:{owner}:{id}',
    ttlSeconds: 'caller',
    holds: '"1": this client assertion, DPoP proof or identity assertion was used',
  },
  since: {
    pattern: '{kind}:since',
    ttlSeconds: 'never',
    holds:
      'seconds since 1970, and whether records were lost before: uses of what was made from then on are recorded; lost with them, so that what is older is refused',
  },
})

/** An object that may be used once. Times are seconds since 1970. */
export interface SingleUse {
  /** The client or key that `id` belongs to: two owners may choose the same `id`. */
  readonly owner: string
  readonly id: string
  /** When it was made at the earliest, by the clock of its maker. */
  readonly issuedAt: number
  /** The same by a clock of ours, where it is known. */
  readonly madeAfter?: number | undefined
  /** From then on it is refused for its age. */
  readonly expiresAt: number
}

/** `used`: not the first use. `unrecorded`: it may have been used before Redis lost its records. */
export type ReplayVerdict = 'first' | 'used' | 'unrecorded'

/**
 * Lets everything of one kind through once, on any number of replicas and services. After a loss of Redis it refuses what
 * was made before, since it may have been used. A loss of single records, as by a fail-over, is not noticed.
 */
export interface ReplayGuard {
  /** Rejects when Redis does not respond. */
  admit(use: SingleUse, now: Date): Promise<ReplayVerdict>
}

/** Number of seconds by which the clock of a maker may differ from ours, in either direction. */
export const MAKER_TOLERANCE_SECONDS = 60
/** Follows the time where the guard found that its records were gone while it ran. */
const LOST = 'lost'
/** A use is recorded for so long after its end: the clocks of replicas differ. */
const KEPT_SECONDS = 10

/** Starts recording at once: nothing that was made before a first start can have been used. */
export function createReplayGuard(redis: Redis, clock: Clock, kind: ReplayKind): ReplayGuard {
  const sinceKey = keyspaces.since.key({ kind })

  async function beginWith(since: string): Promise<string> {
    await redis.set(sinceKey, since, 'NX')
    return (await redis.get(sinceKey)) ?? since
  }

  const beginning = beginWith(`${secondsOf(clock())}`).catch(() => undefined)

  return {
    async admit({ owner, id, issuedAt, madeAfter, expiresAt }, now) {
      await beginning
      const key = keyspaces.used.key({ kind, owner, id })
      // RFC 7519 section 2: a NumericDate may have a fraction, a Redis TTL may not.
      const ttlSeconds = Math.max(1, Math.ceil(expiresAt - now.getTime() / 1000) + KEPT_SECONDS)
      // In this order: a loss between the two is seen by the second.
      const [set, found] = await Promise.all([
        redis.set(key, '1', 'EX', ttlSeconds, 'NX'),
        redis.get(sinceKey),
      ])
      const [since = '', lost] = (found ?? (await beginWith(`${secondsOf(now)} ${LOST}`))).split(' ')
      if (set !== 'OK') return 'used'
      // The clock of a maker may be ahead, so that what it made before a loss seems to be newer.
      const recordedFrom = Number(since) + (lost === LOST ? MAKER_TOLERANCE_SECONDS : 0)
      const isRecorded = issuedAt >= recordedFrom || (madeAfter !== undefined && madeAfter >= Number(since))
      return isRecorded ? 'first' : 'unrecorded'
    },
  }
}

const secondsOf = (time: Date) => Math.floor(time.getTime() / 1000)
