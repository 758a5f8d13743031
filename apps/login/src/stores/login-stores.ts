import type { Redis } from '@signet/redis/client'
import { z } from 'zod'
import type { PendingAuthorizations, PostedParameters } from '../authorize/pending-authorization.ts'
import {
  createRedisPendingStore,
  createRedisPostedParameters,
  memoryReserve,
} from '../authorize/pending-repository.ts'
import { keyspaces } from '../keyspaces.ts'
import type { RandomBytes } from '../sessions/browser.ts'
import type { BrowserSessionStore } from '../sessions/browser-session.ts'
import { createRedisBrowserSessionStore } from '../sessions/session-repository.ts'
import { passwordProof } from '../sign-in/password-proof.ts'
import type { AttemptStore } from '../sign-in/throttle.ts'
import { createRedisAttemptStore } from '../sign-in/throttle-repository.ts'
import { signedRecords } from '../signed-record.ts'

/** Everything that this service keeps, all of it in Redis. */
interface LoginStores {
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

interface LoginStoreOptions {
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
