// Pending authorization requests, posted parameters and pushed requests in Redis.
import type { Redis } from '@signet/platform/redis/connection'
import type { Clock } from '@signet/platform/runtime/clock'
import { z } from 'zod'
import { queryStore } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import { hashOf, isRandomValue, newRandomValue, type RandomBytes } from '../sessions/browser.ts'
import { signInProof } from '../sessions/sign-in-proof.ts'
import { changeRecord, signedRecords } from '../signed-record.ts'
import { createAnonymousStore, type StoreAnonymous } from './anonymous-store.repository.ts'
import type {
  PendingAuthorization,
  PendingAuthorizations,
  PostedParameters,
} from './pending-authorization.ts'
import type { PushedRequests } from './pushed-request.ts'

const parameters = z.record(z.string(), z.string())

const pendingAuthorization = z.object({
  browserHash: z.string(),
  parameters,
  signedInSid: z.string().optional(),
  chosenSid: z.string().optional(),
  consentedSid: z.string().optional(),
  passwordProof: signInProof.optional(),
  typedName: z.string().optional(),
  upstream: z
    .object({
      providerId: z.string(),
      providerName: z.string(),
      account: z.string(),
      assertion: z.string(),
      assertedAt: z.number(),
      mayLink: z.boolean(),
      mayCreate: z.boolean(),
    })
    .optional(),
  upstreamProblem: z
    .object({
      outcome: z.enum(['declined', 'refused', 'switchedOff', 'unavailable', 'forbidden']),
      providerId: z.string(),
      responseId: z.string(),
    })
    .optional(),
  opening: z.object({ handle: z.string(), claimant: z.string() }).optional(),
  device: z
    .object({
      handle: z.string(),
      codeId: z.string(),
      clientAddress: z.string(),
      startedAt: z.number(),
      enteredFrom: z.string(),
    })
    .optional(),
})

const pushedRequest = z.object({ clientId: z.string(), parameters })

const finishedRequest = z.object({
  browserHash: z.string(),
  left: z.object({ application: z.string(), url: z.string() }).optional(),
  /** The parameters of a request that a form answered, and Unix milliseconds until which the form may be sent again. */
  answered: z.object({ parameters, until: z.number() }).optional(),
})

/** How long the form of an answered request gets its response again: the second click of a double click. */
const SENT_AGAIN_MS = 10_000

interface PendingRepositoryOptions {
  /** Newest first: the first one signs records, all of them verify records. */
  readonly masterKeys: readonly Buffer[]
  /** Generation of the database. A record of a lower generation counts as absent. */
  readonly generation: number
  readonly now: Clock
  readonly random: RandomBytes
}

export function createPendingRepository(
  redis: Redis,
  options: PendingRepositoryOptions,
): {
  readonly pendingAuthorizations: PendingAuthorizations
  readonly postedParameters: PostedParameters
  readonly pushedRequests: PushedRequests
} {
  const set = createAnonymousStore(redis)
  return {
    pendingAuthorizations: createPendingAuthorizations(redis, set, options),
    postedParameters: createPostedParameters(redis, set, options),
    pushedRequests: createPushedRequests(redis, set, options),
  }
}

function createPendingAuthorizations(
  redis: Redis,
  set: StoreAnonymous,
  { masterKeys, generation, now }: PendingRepositoryOptions,
): PendingAuthorizations {
  const requests = signedRecords({
    masterKeys,
    generation,
    purpose: 'signet pending authorization',
    schema: pendingAuthorization,
  })
  const finished = signedRecords({
    masterKeys,
    generation,
    purpose: 'signet finished authorization',
    schema: finishedRequest,
  })
  const requestKey = (requestId: string) => keyspaces.pendingAuthorization.key({ requestId })

  /** Returns a request whose form was answered seconds ago. */
  function answeredRequest(key: string, text: string | null): PendingAuthorization | undefined {
    const { browserHash = '', answered } = finished.verify(key, text) ?? {}
    if (answered === undefined || now().getTime() > answered.until) return undefined
    return { browserHash, parameters: answered.parameters, answeredUntil: answered.until }
  }

  return {
    async create(requestId, pending) {
      const key = requestKey(requestId)
      await set(key, requests.sign(key, pending), keyspaces.pendingAuthorization.ttlSeconds)
    },
    async load(requestId, browserId, { sentAgain = false } = {}) {
      if (!isRandomValue(requestId) || browserId === undefined) return undefined
      const key = requestKey(requestId)
      const text = await queryStore('redis', () => redis.get(key))
      const pending = requests.verify(key, text) ?? (sentAgain ? answeredRequest(key, text) : undefined)
      return pending?.browserHash === hashOf(browserId) ? pending : undefined
    },
    async change(requestId, browserId, change) {
      if (!isRandomValue(requestId) || browserId === undefined) return false
      const isOfBrowser = ({ browserHash }: PendingAuthorization) => browserHash === hashOf(browserId)
      const record = { key: requestKey(requestId), records: requests }
      const changed = await changeRecord(redis, record, async (pending) =>
        isOfBrowser(pending) ? { to: change(pending) } : undefined,
      )
      return changed !== undefined && isOfBrowser(changed.before)
    },
    async finish(requestId, browserId, left, answered) {
      const key = requestKey(requestId)
      // The time of the first response stays, so that a form is not good for ever.
      const until = answered?.answeredUntil ?? now().getTime() + SENT_AGAIN_MS
      const record = finished.sign(key, {
        browserHash: hashOf(browserId),
        left,
        ...(answered && { answered: { parameters: { ...answered.parameters }, until } }),
      })
      const before = await queryStore('redis', () => redis.set(key, record, 'KEEPTTL', 'XX', 'GET'))
      if (requests.verify(key, before) !== undefined) return true
      return answered !== undefined && answeredRequest(key, before) !== undefined
    },
    async finished(requestId, browserId) {
      if (!isRandomValue(requestId)) return undefined
      const key = requestKey(requestId)
      const record = finished.verify(key, await queryStore('redis', () => redis.get(key)))
      return record?.browserHash === hashOf(browserId) ? record.left : undefined
    },
  }
}

function createPostedParameters(
  redis: Redis,
  set: StoreAnonymous,
  { masterKeys, random }: PendingRepositoryOptions,
): PostedParameters {
  const posted = signedRecords({ masterKeys, purpose: 'signet posted parameters', schema: parameters })
  const postedKey = (handle: string) => keyspaces.postedParameters.key({ handle })
  return {
    async store(values) {
      const handle = newRandomValue(random)
      const key = postedKey(handle)
      await set(key, posted.sign(key, values), keyspaces.postedParameters.ttlSeconds)
      return handle
    },
    async take(handle) {
      if (!isRandomValue(handle)) return undefined
      const key = postedKey(handle)
      return posted.verify(key, await queryStore('redis', () => redis.getdel(key)))
    },
  }
}

function createPushedRequests(
  redis: Redis,
  set: StoreAnonymous,
  { masterKeys, generation, random }: PendingRepositoryOptions,
): PushedRequests {
  const requests = signedRecords({
    ...{ masterKeys, generation },
    purpose: 'signet pushed request',
    schema: pushedRequest,
  })
  const requestKey = (handle: string) => keyspaces.pushedRequest.key({ handle })
  const usedKey = (handle: string) => keyspaces.usedPushedRequest.key({ handle })
  return {
    async store(request) {
      const handle = newRandomValue(random)
      const key = requestKey(handle)
      await set(key, requests.sign(key, request), keyspaces.pushedRequest.ttlSeconds)
      return handle
    },
    async open(handle) {
      if (!isRandomValue(handle)) return undefined
      const key = requestKey(handle)
      const [text, used] = await queryStore('redis', () =>
        Promise.all([redis.get(key), redis.get(usedKey(handle))]),
      )
      return used === null ? requests.verify(key, text) : 'used'
    },
    claim: ({ handle, claimant }) =>
      queryStore('redis', async () => {
        const key = usedKey(handle)
        const { ttlSeconds } = keyspaces.usedPushedRequest
        const set = await redis.set(key, claimant, 'EX', ttlSeconds, 'NX')
        if (set === 'OK') return 'claimed'
        return (await redis.get(key)) === claimant ? 'claimed before' : undefined
      }),
    async release({ handle }) {
      // Only the call that set the claim comes here. While Redis is away its person begins again at the application.
      await redis.del(usedKey(handle)).catch(() => undefined)
    },
  }
}
