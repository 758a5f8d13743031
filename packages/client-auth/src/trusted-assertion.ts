// RFC 7523 section 3 for assertions of other issuers: the token that a platform gives to a workload, such as a projected service
// account token of Kubernetes.

import type { IssuerTrust, RegisteredKey } from '@signet/directory-reader/views'
import { ID_JAG_TYP } from '@signet/protocol/cross-app-access'
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import type { FindIssuerKeys } from './issuer-keys.ts'
import { readKeySet } from './issuer-keys.ts'
import { AssertionRefusal, isCompactJws, requireTimes, verifySignature } from './signed-assertion.ts'
import type { ReviewToken } from './token-review.ts'

interface Verification {
  /** The trusted issuers of one service user or client. */
  readonly trusts: readonly IssuerTrust[]
  /** The only audience that an assertion may have: our issuer. */
  readonly audience: string
  readonly findIssuerKeys: FindIssuerKeys
  /** Asks the issuer whether a token that proved right still counts. */
  readonly reviewToken: ReviewToken
  readonly now: Date
}

/**
 * Verifies an assertion of an issuer that is trusted, and returns the trust whose rules it meets: its signature by a key of that
 * issuer, its subject, its claims, our issuer as its only audience, its times, and the API server of the issuer where one is
 * asked. Throws AssertionRefusal naming the rule that was broken, and TemporarilyUnavailableError when the keys of the issuer are
 * unknown or its API server is away.
 */
export async function verifyTrustedAssertion(
  assertion: string,
  { trusts, audience, findIssuerKeys, reviewToken, now }: Verification,
): Promise<{ readonly trust: IssuerTrust; readonly expiresAt: number }> {
  const { claims, kid } = unverified(assertion)
  const ofIssuer = trusts.filter(({ issuer }) => issuer === claims.iss)
  if (ofIssuer.length === 0)
    throw refused('its iss is not an issuer that is trusted here', 'issuer_not_trusted')
  const trust = ofIssuer.find((one) => brokenRule(one, claims) === undefined)
  if (trust === undefined) {
    const rule = ofIssuer.length === 1 ? brokenRule(ofIssuer[0] as IssuerTrust, claims) : undefined
    throw refused(`${rule ?? 'its claims'} differ from the rules of the trusted issuer`, 'issuer_claims')
  }
  const verified = await verifySignature(assertion, { keys: await keysOf(trust, kid, findIssuerKeys) }, now)
  // Of one subject and one audience, so that a token for another service is no token for this one.
  const { aud } = verified
  if (aud !== audience && !(Array.isArray(aud) && aud.length === 1 && aud[0] === audience))
    throw refused('aud must be the issuer of Signet, and nothing else', 'assertion_audience')
  requireTimes(verified, Math.floor(now.getTime() / 1000))
  await reviewToken(assertion, { issuer: trust.issuer, subject: verified.sub ?? '', audience })
  return { trust, expiresAt: verified.exp ?? 0 }
}

function unverified(assertion: string): { readonly claims: JWTPayload; readonly kid: string | undefined } {
  try {
    if (isCompactJws(assertion)) {
      const { kid, typ } = decodeProtectedHeader(assertion)
      // RFC 8725 section 3.11: one is about a person and for one grant.
      if (typ !== ID_JAG_TYP) return { claims: decodeJwt(assertion), kid }
    }
  } catch (cause) {
    throw refused('it is not a signed JWT in compact form', 'assertion_malformed', cause)
  }
  throw refused('it is not a signed JWT in compact form', 'assertion_malformed')
}

/** The name of the first claim that a trust demands otherwise. */
function brokenRule({ subject, claims: wanted }: IssuerTrust, claims: JWTPayload): string | undefined {
  // Not verified yet: a claim may have any type.
  const sub: unknown = claims.sub
  const beginning = subject.endsWith('*') ? subject.slice(0, -1) : undefined
  const matches =
    typeof sub === 'string' && (beginning === undefined ? sub === subject : sub.startsWith(beginning))
  if (!matches) return 'sub'
  return Object.keys(wanted).find((name) => claims[name] !== wanted[name])
}

const uploaded = new WeakMap<object, readonly RegisteredKey[]>()

async function keysOf(
  { issuer, keySet }: IssuerTrust,
  kid: string | undefined,
  findIssuerKeys: FindIssuerKeys,
): Promise<readonly RegisteredKey[]> {
  if (keySet === null) return findIssuerKeys(issuer, kid)
  const known = uploaded.get(keySet) ?? readKeySet(keySet)
  uploaded.set(keySet, known)
  return known
}

const refused = (rule: string, reason: string, cause?: unknown) => new AssertionRefusal(rule, reason, cause)
