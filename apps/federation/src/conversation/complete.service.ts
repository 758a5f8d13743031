import type { GuardedFetch } from '@signet/platform/outbound-http/http-calls'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'
import { createAssertion } from './assertion.ts'
import { REQUEST_SECONDS } from './begin.service.ts'
import { readUserInfo, redeemCode, requireResponse } from './calls.ts'
import { claimedNames } from './claimed-names.ts'
import { verifyIdToken } from './id-token.ts'
import type { AtPlace } from './places.ts'
import { type FindProvider, requireOrganization } from './provider.ts'
import type { ProviderDocuments } from './provider-documents.ts'
import { Refused } from './refusal.ts'
import type { RequestStore, StoredRequest } from './request.repository.ts'
import { hashOfState, type RequestSealer } from './sealed-request.ts'
import type { Answer, Asserted, Way } from './way.ts'

/** Input of a sign-in that ends; see CompleteRequest of proto/federation/v1. */
export interface Ending {
  readonly providerId: string
  readonly state: string
  readonly browser: string
  readonly parameters: URLSearchParams
  /** The caller ends tests alone, or sign-ins alone. */
  readonly isTest: boolean
}

interface CompleteParts {
  readonly issuer: string
  readonly findProvider: FindProvider
  readonly documents: ProviderDocuments
  readonly saml: Pick<Way, 'complete'>
  readonly github: { readonly complete: (answer: Answer, signal: AbortSignal) => Promise<Asserted> }
  readonly atPlace: AtPlace
  readonly requests: Pick<RequestStore, 'take'>
  readonly sealer: RequestSealer
  readonly fetch: GuardedFetch
  readonly now: Clock
  readonly random: RandomBytes
  /** Time for the calls of one sign-in that are not shared with others. */
  readonly callsMs: number
}

/**
 * Returns the function that ends a sign-in. It throws Refused. A request that was taken is over, also when a later step refuses; without a place
 * it is not taken, so that the person may load the page again.
 */
export function createCompleteSignIn(parts: CompleteParts): (ending: Ending) => Promise<Asserted> {
  return (ending) => parts.atPlace(ending.providerId, () => complete(parts, ending))
}

async function complete(parts: CompleteParts, ending: Ending): Promise<Asserted> {
  const signal = AbortSignal.timeout(parts.callsMs)
  // Asked for while the request is taken. A request that is not there, or is one of another provider, is refused before.
  const finding = parts.findProvider(ending.providerId, '')
  finding.catch(() => undefined)
  const request = await takeRequest(parts, ending)
  const secrets = parts.sealer.open(request.sealed, request.stateHash)
  const isOther = secrets.isLogout === true || (secrets.isTest ?? false) !== ending.isTest
  if (isOther) throw new Refused('purpose_differs')
  const provider = await finding
  requireOrganization(provider, request.organizationId)
  if (provider.issuer !== secrets.issuer || provider.clientId !== secrets.clientId) {
    throw new Refused('provider_changed', { received: secrets.issuer, expected: provider.issuer })
  }
  const { maxAge } = secrets
  const beganMs = request.expiresAt.getTime() - REQUEST_SECONDS * 1_000
  const authenticatedSince = maxAge === undefined ? undefined : new Date(beganMs - maxAge * 1_000)
  const { state, parameters } = ending
  const answer = { provider, secrets, state, parameters, authenticatedSince }
  if (provider.type === 'saml') return parts.saml.complete(answer)
  if (provider.type === 'github') return parts.github.complete(answer, signal)
  return completeOidc(parts, answer, signal)
}

async function completeOidc(
  { issuer, documents, fetch, now, random }: CompleteParts,
  { provider, secrets, state, parameters, authenticatedSince }: Answer,
  signal: AbortSignal,
): Promise<Asserted> {
  const { nonce, codeVerifier } = secrets
  const metadata = await documents.findMetadata(provider.issuer)
  const context = { provider, metadata, fetch, signal }
  const response = requireResponse(context, parameters, state)
  const redirectUri = identityProviderCallback(issuer, provider.id)
  const redeeming = { ...context, now: now(), random }
  const tokens = await redeemCode(redeeming, response, { redirectUri, codeVerifier })
  if (tokens.idToken === undefined) throw new Refused('id_token_missing')
  const claims = await verifyIdToken(tokens.idToken, documents, {
    ...{ provider, metadata, nonce, authenticatedSince, now: now() },
  })
  const userInfo = await readUserInfo(context, tokens.accessToken, `${claims.sub}`)
  return {
    assertion: { ...createAssertion(provider, claims, userInfo), ...claimedNames(provider, parameters) },
    documents: [
      { name: 'id_token', claims },
      ...(userInfo === undefined ? [] : [{ name: 'userinfo', claims: userInfo }]),
    ],
  }
}

async function takeRequest({ requests, now }: CompleteParts, ending: Ending): Promise<StoredRequest> {
  const request = await requests.take(hashOfState(ending.state))
  if (request === undefined) throw new Refused('request_unknown')
  if (request.expiresAt <= now()) throw new Refused('request_expired')
  if (request.browser !== ending.browser) throw new Refused('browser_differs')
  if (request.providerId !== ending.providerId) {
    throw new Refused('provider_differs', { received: ending.providerId, expected: request.providerId })
  }
  return request
}
