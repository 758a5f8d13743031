// TokenReview of Kubernetes (authentication.k8s.io/v1): its API server knows whether the pod of a token still is there, which the
// signature does not say.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TokenReviewServer } from '@signet/platform/config/token-review-settings'
import type { Logger } from '@signet/platform/logger/logger'
import { EVERY_NETWORK } from '@signet/platform/outbound-http/address-policy'
import { createPostJson } from '@signet/platform/outbound-http/http-calls'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { AssertionRefusal } from './signed-assertion.ts'

/**
 * Asks the API server that issued an assertion, which has been verified before, whether it still counts; answers at once for issuers
 * that have none. Throws AssertionRefusal, and TemporarilyUnavailableError when the API server does not answer.
 */
export type ReviewToken = (assertion: string, expected: Expected) => Promise<void>

interface Expected {
  readonly issuer: string
  readonly subject: string
  /** Our issuer, which the token has to be for. */
  readonly audience: string
}

interface Options {
  readonly servers: readonly TokenReviewServer[]
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
  readonly logger: Pick<Logger, 'warn'>
}

/** Beginning of the names that Kubernetes gives service accounts. */
const SERVICE_ACCOUNT = 'system:serviceaccount:'
const TIMEOUT_MS = 3_000
/** An introspecting client may present the same token many times a second. The API server itself keeps its answers for ten. */
const KEPT_MS = 5_000
const MOST_KEPT = 1_000
/** Calls of one API server. Beyond it one that hangs would hold a connection for each request, and with a common number those of others. */
const MOST_CALLS = 50

const tokenReview = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    audiences: z.array(z.string()).optional(),
    user: z.object({ username: z.string().optional() }).optional(),
  }),
})

/**
 * Reads the token and the authority of an API server for each call, since the platform replaces those files. Logs once that an issuer
 * of service accounts of Kubernetes has no server while others have one: its name in the setting may be misspelt.
 */
export function createTokenReview({ servers, elapsed, logger }: Options): ReviewToken {
  const unlisted = new Set<string>()
  const tellUnlisted = ({ issuer, subject }: Expected) => {
    if (servers.length === 0 || !subject.startsWith(SERVICE_ACCOUNT) || unlisted.has(issuer)) return
    unlisted.add(issuer)
    logger.warn('token_review_missing', { issuer })
  }
  const byIssuer = new Map(servers.map((server) => [server.issuer, server]))
  const reviews = new LRUCache<string, Promise<void>>({
    ...{ max: MOST_KEPT, ttl: KEPT_MS, ttlResolution: 0, perf: { now: elapsed } },
  })
  const callsOf = new Map<TokenReviewServer, number>()
  const review = async (server: TokenReviewServer, assertion: string, expected: Expected): Promise<void> => {
    const calls = (more: number) => (callsOf.get(server) ?? 0) + more
    if (calls(0) >= MOST_CALLS) throw away('too many calls wait for it')
    callsOf.set(server, calls(1))
    try {
      requireStatus(await requestReview(server, assertion, expected.audience), expected)
    } finally {
      callsOf.set(server, calls(-1))
    }
  }
  return (assertion, expected) => {
    const server = byIssuer.get(expected.issuer)
    if (server === undefined) {
      tellUnlisted(expected)
      return Promise.resolve()
    }
    const digest = createHash('sha256').update(assertion).digest('base64url')
    const kept = reviews.get(digest)
    if (kept !== undefined) return kept
    const running = review(server, assertion, expected)
    reviews.set(digest, running)
    // Only that a token counts is kept.
    running.catch(() => {
      if (reviews.peek(digest) === running) reviews.delete(digest)
    })
    return running
  }
}

async function requestReview(
  { url, tokenFile, caFile }: TokenReviewServer,
  token: string,
  audience: string,
): Promise<z.output<typeof tokenReview>['status']> {
  try {
    const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
    const headers = {
      Authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
      Accept: 'application/json',
    }
    // The settings name the server, so it may have any address that is not forbidden to all calls.
    const post = createPostJson({ allow: EVERY_NETWORK, timeoutMs: TIMEOUT_MS, ca })
    const { status, text } = await post(`${url}/apis/authentication.k8s.io/v1/tokenreviews`, headers, {
      ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
      spec: { token, audiences: [audience] },
    })
    if (status !== 201) throw new Error(`the API server answered ${status}`)
    return tokenReview.parse(JSON.parse(text)).status
  } catch (cause) {
    throw away(cause)
  }
}

/** The API server names the audiences that it found; one that knows none would leave them out. */
function requireStatus(
  { authenticated, audiences = [], user }: z.output<typeof tokenReview>['status'],
  { subject, audience }: Expected,
): void {
  if (authenticated && audiences.includes(audience) && user?.username === subject) return
  throw new AssertionRefusal(
    'the API server of its cluster no longer accepts it; its pod or service account may have been deleted',
    'token_review_refused',
  )
}

const away = (cause: unknown) =>
  new TemporarilyUnavailableError('The API server of the assertion cannot be asked now', {
    reason: 'token_review_unavailable',
    cause,
  })
