import type { Redis } from '@signet/redis/client'
import { z } from 'zod'
import type { PendingAuthorizations } from '../authorization/pending-authorization.ts'
import type { RandomBytes } from '../browser/browser.ts'
import type { PostedParameters } from '../browser/pending.ts'
import { keyspaces } from '../redis-keyspaces.ts'
import type { BrowserSessionStore } from '../sessions/browser-session-store.ts'
import { passwordProof } from '../sign-in/password-proof.ts'
import type { AttemptStore } from '../throttling/attempt-store.ts'
import { memoryReserve } from './memory-reserve.ts'
import { createRedisAttemptStore } from './redis-attempt-store.ts'
import { createRedisBrowserSessionStore } from './redis-browser-session-store.ts'
import { createRedisPendingStore } from './redis-pending-store.ts'
import { createRedisPostedParameters } from './redis-posted-parameters.ts'
import { signedRecords } from './signed-record.ts'

/** Everything that this service keeps, all of it in Redis. */
export interface LoginStores {
  readonly browserSessions: BrowserSessionStore
  readonly pendingAuthorizations: PendingAuthorizations
  readonly postedParameters: PostedParameters
  readonly attempts: AttemptStore
}

const pendingAuthorization = z.object({
  browserHash: z.string(),
  parameters: z.record(z.string(), z.string()),
  signedInSid: z.string().optional(),
  chosenSid: z.string().optional(),
  consentedSid: z.string().optional(),
  passwordProof: passwordProof.optional(),
})

export interface LoginStoreOptions {
  readonly redis: Redis
  /** Newest first: the first one signs what is stored, all of them verify it. */
  readonly masterKeys: readonly Buffer[]
  /** Of the database: what was stored under a lower one counts as none. */
  readonly generation: number
  readonly random: RandomBytes
}

export function createLoginStores({ redis, masterKeys, generation, random }: LoginStoreOptions): LoginStores {
  const requireRoom = memoryReserve(redis)
  return {
    browserSessions: createRedisBrowserSessionStore(redis, { masterKeys, generation }),
    pendingAuthorizations: createRedisPendingStore(redis, keyspaces.pendingAuthorization, {
      records: signedRecords({
        masterKeys,
        generation,
        purpose: 'signet pending authorization',
        schema: pendingAuthorization,
      }),
      requireRoom,
    }),
    postedParameters: createRedisPostedParameters(redis, { masterKeys, random, requireRoom }),
    attempts: createRedisAttemptStore(redis, random),
  }
}
