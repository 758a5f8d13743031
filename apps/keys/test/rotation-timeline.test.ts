import { seeded } from '@signet/testing/seeded'
import { size } from '@signet/testing/sizes'
import { LEASE_MS } from '@signet/tokens/keys/key-lease'
import { describe, expect, it } from 'vitest'
import { ROTATION_POLICY, type RotationPolicy } from '../src/rotation/policy.ts'
import { Holder, KeyLine, Verifier } from './simulation/simulated-keys.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.parse('2030-01-01T00:00:00Z')

/** One line of signing keys, so that days cost little; the others follow the same rules. */
const policy: RotationPolicy = {
  ...ROTATION_POLICY,
  rings: {
    signing: { ...ROTATION_POLICY.rings.signing, algorithms: ['RS256'] },
    'access-seal': { ...ROTATION_POLICY.rings['access-seal'], algorithms: [] },
    'code-seal': { ...ROTATION_POLICY.rings['code-seal'], algorithms: [] },
    'refresh-mac': { ...ROTATION_POLICY.rings['refresh-mac'], algorithms: [] },
    'origin-mac': { ...ROTATION_POLICY.rings['origin-mac'], algorithms: [] },
  },
}

interface Token {
  readonly kid: string
  readonly signedAt: number
}

interface Problems {
  readonly unresolved: string[]
  readonly unsigned: number[]
  readonly hints: string[]
}

interface Course {
  readonly seed: number
  readonly days: number
  /** The average interval of rotations and revocations on demand. */
  readonly byHandEveryMs: number
  /** The longest time without a running replica. */
  readonly longestOutageMs: number
}

/** Lives through days of random events and answers everything that went wrong. */
function live({ seed, days, byHandEveryMs, longestOutageMs }: Course) {
  const random = seeded(seed)
  const skew = () => (random() * 2 - 1) * 5 * SECOND
  const line = new KeyLine(policy)
  line.tick(START, skew())
  const replicas = [skew(), skew()]
  const holders = [skew(), skew(), skew()].map((skewMs) => new Holder(line, skewMs))
  const verifiers = Array.from({ length: 6 }, () => new Verifier(line))
  const problems: Problems = { unresolved: [], unsigned: [], hints: [] }
  let alive: Token[] = []
  const hints: Token[] = []
  let keysAwayUntil = 0
  let signed = 0
  let revocations = 0
  let handledAt = 0

  /** All verifiers check a new token at once, and some check it again later. */
  const check = (token: Token, at: number, verifier: Verifier) => {
    if (line.revoked.has(token.kid)) return
    if (!verifier.knows(token.kid, at)) {
      problems.unresolved.push(`${token.kid} signed ${token.signedAt - START}, met ${at - START}`)
    }
  }

  let now = START
  while (now < START + days * DAY) {
    // Close to a switch every second counts, elsewhere minutes do.
    const untilSwitch = (line.active?.retireAt.getTime() ?? now) - now
    const stride = random() * 40 * MINUTE
    if (Math.abs(untilSwitch) < 20 * SECOND) now += SECOND / 2
    else now += untilSwitch > 0 ? Math.min(untilSwitch - 15 * SECOND, stride) : stride

    if (random() < 1 / 500) keysAwayUntil = now + random() * longestOutageMs
    if (now >= keysAwayUntil) {
      for (const skewMs of replicas) line.tick(now, skewMs)
      if (now - handledAt > 10 * MINUTE && random() < (20 * MINUTE) / byHandEveryMs) {
        handledAt = now
        const skewMs = skew()
        const target = line.keys[Math.floor(random() * line.keys.length)]
        if (random() < 0.5) line.rotate(now, skewMs)
        else if (random() < 0.7 && line.active !== undefined) line.revoke(line.active.kid, now, skewMs)
        else if (target !== undefined) line.revoke(target.kid, now, skewMs)
        revocations = line.revoked.size
      }
    }
    for (const holder of holders) {
      if (random() < 1 / 300) holder.cutUntil = now + random() * 30 * HOUR
      if (now >= keysAwayUntil) holder.hear(now)
      const kid = holder.keyAt(now)
      if (kid === undefined) {
        if (now >= holder.cutUntil && now >= keysAwayUntil) problems.unsigned.push(now)
        continue
      }
      signed += 1
      const token = { kid, signedAt: now }
      for (const verifier of verifiers) check(token, now, verifier)
      alive.push(token)
      if (random() < 1 / 50) hints.push(token)
    }
    alive = alive.filter(({ signedAt }) => now - signedAt <= DAY)
    for (let n = 0; n < 4; n += 1) {
      const verifier = verifiers[Math.floor(random() * verifiers.length)]
      const token = alive[Math.floor(random() * random() * alive.length)]
      if (token !== undefined && verifier !== undefined) check(token, now, verifier)
    }
    const hint = hints[Math.floor(random() * hints.length)]
    if (hint !== undefined && now - hint.signedAt <= 120 * DAY && !line.revoked.has(hint.kid)) {
      const known = line.keys.some(({ kid, state }) => kid === hint.kid && state !== 'removed')
      if (!known) problems.hints.push(hint.kid)
    }
  }
  return { problems, signed, revocations, keys: line.keys }
}

describe('F-27: days of rotation with restarts, cut streams, and clocks that differ by up to 5 s', () => {
  const nothing: Problems = { unresolved: [], unsigned: [], hints: [] }

  it('the simulated lease is as long as the real one', () => {
    expect(policy.leaseMs).toBe(LEASE_MS)
  })

  it.each([1, 2, 3])(
    'no verifier meets a key that it cannot resolve (course %i)',
    (seed) => {
      const days = size('rotationDays')
      const course = live({ seed, days, byHandEveryMs: Number.POSITIVE_INFINITY, longestOutageMs: 20 * HOUR })
      expect(course.problems).toEqual(nothing)
      expect(course.signed).toBeGreaterThan(days * 100)
    },
    120_000,
  )

  it.each([4, 5, 6])(
    'rotations on demand and emergencies fail only tokens of revoked keys (course %i)',
    (seed) => {
      const days = size('rotationDays')
      const course = live({ seed, days, byHandEveryMs: 12 * HOUR, longestOutageMs: 20 * HOUR })
      expect(course.problems).toEqual(nothing)
      expect(course.revocations).toBeGreaterThan(days / 4)
    },
    120_000,
  )

  it.each([
    ['the first start', 0, () => {}],
    ['a planned switch', 30 * DAY, () => {}],
    ['a rotation on demand', 5 * DAY, (line: KeyLine, at: number) => line.rotate(at, 0)],
  ])('an emergency in any second after %s finds a key that every cache holds', (_, after, act) => {
    const line = new KeyLine(policy)
    line.tick(START, 0)
    // They fetch the key set one after the other, one in every second before and since.
    const verifiers: Verifier[] = []
    const strangers: number[] = []
    for (let second = -320; second < 400; second += 1) {
      const at = START + after + second * SECOND
      if (at < START) continue
      line.tick(at, 0)
      if (second === 0) act(line, at)
      const verifier = new Verifier(line)
      verifier.fetch(at)
      verifiers.push(verifier)
      if (second < 0) continue
      const emergency = line.copy()
      emergency.revoke(emergency.active?.kid ?? '', at, 0)
      const heir = emergency.active?.kid ?? ''
      if (verifiers.some(({ cached }) => cached(at)?.has(heir) === false)) strangers.push(second)
    }
    expect(verifiers.length).toBeGreaterThan(399)
    expect(strangers).toEqual([])
  })
})
