import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'

/** A resource server that keeps the key set for exactly as long as Cache-Control says, and never asks in between. */
export interface StrictVerifier {
  /** Answers the key that signed it; rejects with jose's error. */
  verify(jwt: string): Promise<string>
  /** How often it fetched the key set. */
  readonly fetches: number
}

export function strictVerifier(issuer: string): StrictVerifier {
  let cached: { readonly until: number; readonly keySet: Promise<JSONWebKeySet> } | undefined
  let fetches = 0

  function fetched(): Promise<JSONWebKeySet> {
    if (cached !== undefined && Date.now() < cached.until) return cached.keySet
    fetches += 1
    const answer = fetch(`${issuer}/oauth/v2/keys`)
    const keySet = answer.then(async (response) => {
      const maxAge = /^public, max-age=(\d+)$/.exec(response.headers.get('cache-control') ?? '')?.[1]
      if (response.status !== 200 || maxAge === undefined)
        throw new Error(`no key set, but ${response.status}`)
      cached = { until: Date.now() + Number(maxAge) * 1_000, keySet }
      return (await response.json()) as JSONWebKeySet
    })
    return keySet
  }

  return {
    get fetches() {
      return fetches
    },
    async verify(jwt) {
      await jwtVerify(jwt, createLocalJWKSet(await fetched()), { issuer, typ: 'at+jwt' })
      return decodeProtectedHeader(jwt).kid ?? ''
    },
  }
}
