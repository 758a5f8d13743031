import type { RegisteredKey } from '@signet/directory-reader/views'
import type { GetText } from '@signet/platform/outbound-http/http-calls'
import { createKeptReads } from '@signet/platform/outbound-http/kept-reads'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { readPublicJwk } from '@signet/protocol/public-key'
import { z } from 'zod'

/** The keys that an issuer publishes. Throws TemporarilyUnavailableError when they are unknown and cannot be read now. */
export type FindIssuerKeys = (issuer: string, kid: string | undefined) => Promise<readonly RegisteredKey[]>

interface Options {
  /** Refuses private addresses, follows no redirect, and has a limit of time and size. */
  readonly getText: GetText
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
}

const MOST_KEYS = 30

/** RFC 7517 section 8.5.2 first: an API server of Kubernetes answers 406 to a request for JSON alone. */
const KEY_SET_TYPES = 'application/jwk-set+json, application/json'

const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })
const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(MOST_KEYS) })

/**
 * Reads the keys of issuers by OpenID Connect Discovery 1.0. They are read again after ten minutes, and for a `kid` that is not
 * among them at most once a minute; keys of an issuer that is away are used for an hour. Concurrent calls share one reading.
 */
export function createIssuerKeys({ getText, elapsed }: Options): FindIssuerKeys {
  const findKept = createKeptReads({ read: (issuer) => readKeys(getText, issuer), elapsed })
  return async (issuer, kid) => {
    const isEnough = (keys: readonly RegisteredKey[]) =>
      kid === undefined || keys.some((key) => key.kid === kid)
    try {
      return (await findKept(issuer, isEnough)).value
    } catch (cause) {
      throw new TemporarilyUnavailableError('The keys of the issuer of the assertion cannot be read now', {
        reason: 'issuer_keys_unknown',
        cause,
      })
    }
  }
}

async function readKeys(getText: GetText, issuer: string): Promise<readonly RegisteredKey[]> {
  const json = async (url: string, accept: string): Promise<unknown> => {
    const { status, text } = await getText(url, { accept })
    if (status !== 200) throw new Error(`${url} answered ${status}`)
    return JSON.parse(text)
  }
  const path = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { issuer: named, jwks_uri: url } = discoveryDocument.parse(await json(path, 'application/json'))
  if (named !== issuer) throw new Error(`${path} names another issuer`)
  if (issuer.startsWith('https:') && !url.startsWith('https:'))
    throw new Error(`${path} names keys without https`)
  return readKeySet(await json(url, KEY_SET_TYPES))
}

/** The usable public keys of a JSON Web Key Set (RFC 7517 section 5); others are left out. Throws for what is no key set. */
export function readKeySet(document: unknown): readonly RegisteredKey[] {
  return keySet.parse(document).keys.flatMap((jwk) => {
    const read = readPublicJwk(jwk)
    // One without a kid is found by assertions without one.
    return 'jwk' in read
      ? [{ kid: typeof jwk.kid === 'string' ? jwk.kid : '', jwk: { ...read.jwk }, expiresAt: null }]
      : []
  })
}
