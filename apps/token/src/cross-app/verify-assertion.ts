// Verifies identity assertions of other issuers: draft-ietf-oauth-identity-assertion-authz-grant section 4.4.1.

import { createHash } from 'node:crypto'
import { namedIssuer } from '@signet/client-auth/identity-assertion'
import type { FindIssuerKeys } from '@signet/client-auth/issuer-keys'
import { AssertionRefusal, requireTimes, verifySignature } from '@signet/client-auth/signed-assertion'
import type { ReplayGuard } from '@signet/platform/redis/replay-guard'
import { MAKER_TOLERANCE_SECONDS } from '@signet/platform/redis/replay-guard'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { z } from 'zod'
import type { AssertingProvider, ProviderLinkStore } from './provider-link.repository.ts'

interface Verification {
  readonly issuer: string
  readonly findIssuerKeys: FindIssuerKeys
  readonly providers: Pick<ProviderLinkStore, 'providersOf'>
}

/** The proven content of an assertion. */
export interface VerifiedAssertion {
  readonly claims: Readonly<Record<string, unknown>>
  readonly issuer: string
  readonly scope: string
  /** The URIs of the APIs that the assertion is for; none where it names none. */
  readonly resources: readonly string[]
  /** When the person signed in at the issuer; undefined where it does not say. */
  readonly signedInAt: Date | undefined
  /** The providers with this issuer whose demands the assertion meets. */
  readonly providers: readonly AssertingProvider[]
  readonly use: AssertionUse
}

interface AssertionUse {
  readonly owner: string
  readonly id: string
  readonly issuedAt: number
  readonly expiresAt: number
}

/** The year 2100: every time has a date. */
const LATEST_SECONDS = 4_102_444_800

const content = z.object({
  iss: z.string(),
  client_id: z.string(),
  jti: z.string().min(1).max(512),
  scope: z.string().max(5_000).default(''),
  auth_time: z.number().min(0).max(LATEST_SECONDS).optional(),
  resource: z.union([z.string().transform((uri) => [uri]), z.array(z.string()).max(20)]).default([]),
})

/**
 * Verifies an assertion for a client: signed by an issuer that a provider trusts for this use, for our issuer alone and for this
 * client, within its times. Throws AssertionRefusal naming the rule that was broken, and TemporarilyUnavailableError when the keys
 * of the issuer are unknown.
 */
export async function verifyIdentityAssertion(
  { issuer, findIssuerKeys, providers: store }: Verification,
  assertion: string,
  clientId: string,
  now: Date,
): Promise<VerifiedAssertion> {
  const { iss, kid } = namedIssuer(assertion)
  if (iss === issuer)
    throw refused('Signet issues no tokens for its own identity assertions', 'cross_app_own_assertion')
  // Nothing is fetched for an issuer that no provider names.
  const ofIssuer = await store.providersOf(iss)
  if (ofIssuer.length === 0)
    throw refused(
      'its iss is not the issuer of an active identity provider with crossAppAccess',
      'cross_app_issuer_not_trusted',
    )
  const claims = await verifySignature(assertion, { keys: await findIssuerKeys(iss, kid) }, now)
  const { aud } = claims
  if (aud !== issuer && !(Array.isArray(aud) && aud.length === 1 && aud[0] === issuer))
    throw refused('aud must be the issuer of Signet, and nothing else', 'assertion_audience')
  requireTimes(claims, Math.floor(now.getTime() / 1000))
  const read = content.safeParse(claims)
  if (!read.success)
    throw refused(
      'client_id and jti are required, scope and resource are texts, and auth_time is a number',
      'cross_app_claims',
      read.error,
    )
  const { client_id: named, jti, scope, resource, auth_time: authTime } = read.data
  if (named !== clientId)
    throw refused('its client_id is not that of the client that presents it', 'cross_app_client')
  const providers = ofIssuer.filter(({ requiredClaims }) =>
    Object.keys(requiredClaims).every((name) => claims[name] === requiredClaims[name]),
  )
  if (providers.length === 0)
    throw refused('it lacks a claim that requiredClaims of the identity provider demands', 'issuer_claims')
  const { iat = 0, exp = 0 } = claims
  if (authTime !== undefined && authTime > iat + MAKER_TOLERANCE_SECONDS)
    throw refused('its auth_time is later than iat', 'cross_app_claims')
  const use = { owner: digest(iss), id: digest(jti), issuedAt: iat, expiresAt: exp + MAKER_TOLERANCE_SECONDS }
  const signedInAt = authTime === undefined ? undefined : new Date(authTime * 1000)
  return { claims, issuer: iss, scope, resources: resource, signedInAt, providers, use }
}

/** Lets an assertion through once, on any number of replicas. */
export async function requireFirstUse(guard: ReplayGuard, use: AssertionUse, now: Date): Promise<void> {
  const verdict = await guard.admit(use, now).catch((cause: unknown) => {
    throw new TemporarilyUnavailableError('The assertion cannot be checked for reuse now; repeat the call', {
      reason: 'replay_guard_unreachable',
      cause,
    })
  })
  if (verdict === 'used') throw refused('it was used before', 'assertion_replayed')
  if (verdict === 'unrecorded')
    throw refused('it was issued before the server began to record used assertions', 'assertion_unrecorded')
}

/** Names in a key of Redis have no separators. */
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

export const refused = (rule: string, reason: string, cause?: unknown) =>
  new AssertionRefusal(rule, reason, cause)
