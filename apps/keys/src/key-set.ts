import { KEY_ALGORITHMS } from '@signet/admin-api/keys-api'
import type { KeyLife, KeyState } from './rotation/key-life.ts'
import type { PublicJwk } from './rotation/key-material.ts'
import { KEY_SET_MAX_AGE_SECONDS } from './rotation/policy.ts'

/** A JSON Web Key Set (RFC 7517 section 5). */
export interface KeySet {
  readonly keys: readonly PublicJwk[]
}

// A verifier that ignores `kid` takes the first key: the one that signs.
const ORDER: Partial<Record<KeyState, number>> = { active: 0, announced: 1, retired: 2 }

/** The public halves of all keys that sign, will sign, or signed something that has not expired. */
export function keySetOf(keys: readonly (KeyLife & { readonly publicJwk: PublicJwk | undefined })[]): KeySet {
  const listed = keys.flatMap(({ state, publicJwk }) => {
    const order = ORDER[state]
    return publicJwk === undefined || order === undefined ? [] : [{ order, jwk: publicMembers(publicJwk) }]
  })
  listed.sort((a, b) => a.order - b.order || rank(a.jwk) - rank(b.jwk) || (a.jwk.kid < b.jwk.kid ? -1 : 1))
  return { keys: listed.map(({ jwk }) => jwk) }
}

/** Names every member, so that nothing else that a stored key may hold is ever served (RFC 7517 section 9.2). */
export function publicMembers({ kty, use, alg, kid, crv, x, y, n, e }: PublicJwk): PublicJwk {
  return { kty, use, alg, kid, crv, x, y, n, e }
}

function rank({ alg }: PublicJwk): number {
  return KEY_ALGORITHMS.indexOf(alg)
}

const SHORTEST_MAX_AGE_SECONDS = 5

/**
 * How long the key set may be cached: never beyond the next switch, because the heir of the key that starts to
 * sign then is announced at that moment, and every cache has to hold it before an emergency can need it.
 */
export function keySetMaxAgeSeconds(keys: readonly KeyLife[], now: Date): number {
  const announced = keys.filter(({ ring, state }) => ring === 'signing' && state === 'announced')
  const untilSwitch = announced.map(({ activeAt }) =>
    Math.floor((activeAt.getTime() - now.getTime()) / 1_000),
  )
  return Math.max(SHORTEST_MAX_AGE_SECONDS, Math.min(KEY_SET_MAX_AGE_SECONDS, ...untilSwitch))
}
