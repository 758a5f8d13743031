import { describe, expect, it } from 'vitest'
import { keySetMaxAgeSeconds, keySetOf } from './key-set.ts'
import type { KeyLife } from './rotation/key-life.ts'
import { planRotation } from './rotation/plan.ts'
import { ROTATION_POLICY } from './rotation/policy.ts'

const DAY = 86_400_000
const START = new Date('2026-01-01T00:00:00Z')
const at = (milliseconds: number) => new Date(START.getTime() + milliseconds)

let made = 0
function rotated(keys: readonly KeyLife[], now: Date): readonly KeyLife[] {
  const { create, change, forget } = planRotation(keys, ROTATION_POLICY, now)
  const changed = new Map(change.map((key) => [key.kid, key]))
  return [
    ...keys.filter(({ kid }) => !forget.includes(kid)).map((key) => changed.get(key.kid) ?? key),
    ...create.map((key) => ({ ...key, kid: `k${++made}` })),
  ]
}
const publicHalves = (keys: readonly KeyLife[]) =>
  keySetOf(
    keys.map((key) => ({
      ...key,
      publicJwk:
        key.ring === 'signing'
          ? { kty: 'RSA', kid: key.kid, alg: key.algorithm, use: 'sig' as const, d: 'private' }
          : undefined,
    })),
  ).keys

describe('the key set', () => {
  it('lists announced, active and retired signing keys, the one that signs with RS256 first', () => {
    let keys = rotated([], START)
    keys = rotated(keys, at(30 * DAY))
    const states = publicHalves(keys).map(({ kid, alg }) => [keys.find((key) => key.kid === kid)?.state, alg])
    expect(states[0]).toEqual(['active', 'RS256'])
    expect(states.map(([state]) => state)).toEqual([
      ...['active', 'active'],
      ...['announced', 'announced', 'announced', 'announced'],
      ...['retired', 'retired'],
    ])
    expect(publicHalves(rotated(keys, at(32 * DAY)))).toHaveLength(6)
  })

  it('a private member that a key may hold is not served [F-27]', () => {
    expect(JSON.stringify(publicHalves(rotated([], START)))).not.toContain('private')
  })

  it('may be cached for 300 s, and not beyond the next switch', () => {
    const keys = rotated([], START)
    const next = keys.find(({ ring, state }) => ring === 'signing' && state === 'announced')?.activeAt
    const before = (seconds: number) => new Date((next?.getTime() ?? 0) - seconds * 1_000)
    expect(keySetMaxAgeSeconds(keys, START)).toBe(300)
    expect(keySetMaxAgeSeconds(keys, before(301))).toBe(300)
    expect(keySetMaxAgeSeconds(keys, before(60.5))).toBe(60)
    expect(keySetMaxAgeSeconds(keys, before(1))).toBe(5)
    expect(keySetMaxAgeSeconds(keys, before(-1))).toBe(5)
  })
})
