// gRPC calls to federation, which talks to identity providers.
import { create, toJsonString } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import {
  type Assertion,
  AssertionSchema,
  CompleteResponseSchema,
  type CompleteTestResponse,
  CompleteTestResponseSchema,
  type FederationService,
  type ReadLogoutTokenResponse,
  ReadLogoutTokenResponseSchema,
  type Refusal,
} from '@signet/grpc/gen/federation/v1/federation_service_pb'
import { callService } from '../dependency.ts'
import type { AssertedAnswer, UpstreamRefusal, Upstreams } from '../upstream/upstream.ts'

/** Federation waits for the provider to answer, three times at most. */
const BEGIN_TIMEOUT_MS = 15_000
/** A person waits for the end of a sign-out that has happened. */
const LOGOUT_TIMEOUT_MS = 3_000
const COMPLETE_TIMEOUT_MS = 35_000
const PASSWORD_TIMEOUT_MS = 28_000

/** The parameter that may be longer than others (SAML Bindings section 3.5.4). */
const SAML_RESPONSE = 'SAMLResponse'

/** Answers about the metadata of a provider that is none of SAML, or whose id none can have. */
const ABSENT: readonly string[] = ['NOT_FOUND', 'INVALID_ARGUMENT']

/** Calls the service that talks to identity providers. */
export function createUpstreams(federation: RpcClient<typeof FederationService>): Upstreams {
  return {
    ...createPasswordCalls(federation),
    async begin({ maxAgeSeconds, acrValues, uiLocales, ...request }) {
      const message = {
        ...request,
        ...(maxAgeSeconds !== undefined && { maxAgeSeconds: BigInt(maxAgeSeconds) }),
        ...{ acrValues: [...acrValues], uiLocales: [...uiLocales] },
      }
      const { location, refusal } = await callService('federation', () =>
        federation.begin(message, { timeoutMs: BEGIN_TIMEOUT_MS }),
      )
      return refusal === undefined ? { kind: 'begun', location } : refused(refusal)
    },
    async complete(request) {
      const message = completeMessage(request)
      const { assertion, refusal } = await unlessMalformed(
        () =>
          callService('federation', () => federation.complete(message, { timeoutMs: COMPLETE_TIMEOUT_MS })),
        create(CompleteResponseSchema, MALFORMED),
      )
      return refusal === undefined ? asserted(assertion) : refused(refusal)
    },
    async findMetadata(providerId) {
      const options = { timeoutMs: REPEATED_CALL_TIMEOUT_MS }
      try {
        return (await callService('federation', () => federation.writeMetadata({ providerId }, options)))
          .metadata
      } catch (error) {
        if (error instanceof RpcError && ABSENT.includes(error.code)) return undefined
        throw error
      }
    },
    ...createSingleLogoutCalls(federation),
    async beginLogout({ providerId, state, names }) {
      const { subject: tokenSubject = '', sessionId = '', nameIdFormat = '' } = names ?? {}
      const message = { providerId, state, tokenSubject, sessionId, nameIdFormat }
      const { location, refusal } = await callService('federation', () =>
        federation.beginLogout(message, { timeoutMs: LOGOUT_TIMEOUT_MS }),
      )
      return refusal === undefined ? { kind: 'begun', location: location || undefined } : refused(refusal)
    },
    async readLogoutToken(token) {
      return logoutOf(
        await unlessMalformed(
          () =>
            callService('federation', () =>
              federation.readLogoutToken(token, { timeoutMs: COMPLETE_TIMEOUT_MS }),
            ),
          create(ReadLogoutTokenResponseSchema, MALFORMED),
        ),
      )
    },
    async beginTest(request) {
      const { location, refusal } = await callService('federation', () =>
        federation.begin({ ...request, test: true }, { timeoutMs: BEGIN_TIMEOUT_MS }),
      )
      if (refusal === undefined) return { kind: 'begun', location }
      return { kind: 'ended', outcome: testOutcome(create(CompleteTestResponseSchema, { refusal })) }
    },
    async completeTest(request) {
      const message = completeMessage(request)
      const answer = await unlessMalformed(
        () =>
          callService('federation', () =>
            federation.completeTest(message, { timeoutMs: COMPLETE_TIMEOUT_MS }),
          ),
        create(CompleteTestResponseSchema, MALFORMED),
      )
      return testOutcome(answer)
    },
  }
}

function createSingleLogoutCalls(
  federation: RpcClient<typeof FederationService>,
): Pick<Upstreams, 'completeLogout' | 'readLogoutRequest'> {
  const options = { timeoutMs: COMPLETE_TIMEOUT_MS }
  return {
    async readLogoutRequest(message) {
      const { location, sessionIds, ...answer } = await callService('federation', () =>
        federation.readLogoutRequest(message, options),
      )
      const read = logoutOf(answer)
      return read.kind === 'logout' ? { ...read, sessionIds, location } : read
    },
    async completeLogout(message) {
      const { refusal } = await callService('federation', () => federation.completeLogout(message, options))
      return refusal === undefined ? { kind: 'ended' } : refused(refusal)
    },
  }
}

function createPasswordCalls(
  federation: RpcClient<typeof FederationService>,
): Pick<Upstreams, 'findPerson' | 'verifyPassword' | 'testPassword'> {
  return {
    async findPerson({ isTest: test, ...person }) {
      const { attemptKey, refusal } = await callService('federation', () =>
        federation.findPerson({ ...person, test }, { timeoutMs: PASSWORD_TIMEOUT_MS }),
      )
      if (refusal === undefined) return { kind: 'found', attemptKey }
      return refusal.wrongCredentials ? { kind: 'wrong' } : refused(refusal)
    },
    async verifyPassword(typed) {
      const { assertion, refusal } = await callService('federation', () =>
        federation.verifyPassword(typed, { timeoutMs: PASSWORD_TIMEOUT_MS }),
      )
      if (refusal === undefined) return asserted(assertion)
      return refusal.wrongCredentials ? { kind: 'wrong' } : refused(refusal)
    },
    async testPassword(typed) {
      const { assertion, refusal, documents } = await callService('federation', () =>
        federation.testPassword(typed, { timeoutMs: PASSWORD_TIMEOUT_MS }),
      )
      const received = { documents, ...(assertion && { assertion }), ...(refusal && { refusal }) }
      const outcome = testOutcome(create(CompleteTestResponseSchema, received))
      if (refusal === undefined) return { answer: { kind: 'accepted' }, outcome }
      return { answer: refusal.wrongCredentials ? { kind: 'wrong' } : refused(refusal), outcome }
    },
  }
}

function logoutOf({ logout, refusal }: Pick<ReadLogoutTokenResponse, 'logout' | 'refusal'>) {
  if (refusal !== undefined) return refused(refusal)
  const { issuedAt, expiresAt, issuer, subject, sessionId, tokenId } = logout ?? {}
  if (issuer === undefined || issuedAt === undefined || expiresAt === undefined)
    throw new Error('federation answered a logout token with nothing')
  const times = { issuedAt: timestampDate(issuedAt), expiresAt: timestampDate(expiresAt) }
  const named = { issuer, subject: subject ?? '', sessionId: sessionId ?? '', tokenId: tokenId ?? '' }
  return { kind: 'logout', logout: { ...named, ...times } } as const
}

const testOutcome = (answer: CompleteTestResponse) => toJsonString(CompleteTestResponseSchema, answer)

const MALFORMED = { refusal: { rule: 'response_malformed' } }

function completeMessage({ parameters, ...request }: Parameters<Upstreams['complete']>[0]) {
  const [, response = ''] = parameters.find(([name]) => name === SAML_RESPONSE) ?? []
  const others = parameters.filter(([name]) => name !== SAML_RESPONSE)
  return {
    ...{ ...request, samlResponse: Buffer.from(response) },
    parameters: others.map(([name, value]) => ({ name, value })),
  }
}

/** Refuses parameters that no provider sends: the URL can come from any page. */
async function unlessMalformed<T>(work: () => Promise<T>, malformed: T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'INVALID_ARGUMENT') throw error
    return malformed
  }
}

function refused({ rule, received, expected, temporary, declined }: Refusal): UpstreamRefusal {
  if (declined) return { kind: 'declined', rule }
  return { kind: temporary ? 'unavailable' : 'refused', rule, sent: received, expected }
}

function asserted(assertion: Assertion | undefined): AssertedAnswer {
  if (assertion === undefined) throw new Error('federation answered a sign-in with nothing')
  return {
    kind: 'asserted',
    account: accountOf(assertion),
    assertion: toJsonString(AssertionSchema, assertion),
  }
}

function accountOf({ profile, subject }: Assertion): string {
  return profile?.email || profile?.userName || profile?.displayName || subject
}
