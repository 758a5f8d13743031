import { seeded } from '@signet/testing/seeded'
import { size } from '@signet/testing/sizes'
import { keyInUse, LEASE_MS } from '@signet/tokens/keys/key-lease'
import { describe, expect, it } from 'vitest'
import { keySetMaxAgeSeconds } from '../src/key-set.ts'
import type { KeyLife, KeyState } from '../src/rotation/key-life.ts'
import { planRotation, type RotationPlan, revokeNow, rotateNow } from '../src/rotation/plan.ts'
import { ROTATION_POLICY, type RotationPolicy } from '../src/rotation/policy.ts'

const PUBLISHED: ReadonlySet<KeyState> = new Set(['announced', 'active', 'retired'])

/** Signing key line whose store, holders and verifiers are plain values; times are Unix milliseconds. */
class KeyLine {
  readonly policy: RotationPolicy
  readonly revoked = new Map<string, number>()
  keys: readonly KeyLife[] = []
  #made = 0

  constructor(policy: RotationPolicy) {
    this.policy = policy
  }

  /** A tick of a replica whose clock is off by `skewMs`. */
  tick(at: number, skewMs: number): void {
    this.#write(planRotation(this.keys, this.policy, new Date(at + skewMs)))
  }

  rotate(at: number, skewMs: number): void {
    const line = { ring: 'signing', algorithm: 'RS256' } as const
    this.#write(rotateNow(this.keys, [line], this.policy, new Date(at + skewMs)))
  }

  revoke(kid: string, at: number, skewMs: number): void {
    const key = this.keys.find((known) => known.kid === kid)
    if (key === undefined || key.revokedAt !== undefined) return
    this.#write(revokeNow(this.keys, key, this.policy, new Date(at + skewMs)))
    this.revoked.set(kid, at)
  }

  /** A copy that goes on from here independently. */
  copy(): KeyLine {
    const other = new KeyLine(this.policy)
    other.keys = this.keys
    return other
  }

  get active(): KeyLife | undefined {
    return this.keys.find(({ state }) => state === 'active')
  }

  #write({ create, change, forget }: RotationPlan): void {
    const changed = new Map(change.map((key) => [key.kid, key]))
    this.keys = [
      ...this.keys.filter(({ kid }) => !forget.includes(kid)).map((key) => changed.get(key.kid) ?? key),
      ...create.map((key) => {
        this.#made += 1
        return { ...key, kid: `k${this.#made}` }
      }),
    ]
  }
}

/** A replica of `token`: the last lease that it received, and the clock by which it chooses. */
class Holder {
  readonly #line: KeyLine
  readonly #skewMs: number
  #held: readonly { kid: string; activeAt: number; retireAt: number }[] = []
  #heardAt = Number.NEGATIVE_INFINITY
  /** Until then its stream to `keys` is cut. */
  cutUntil = 0

  constructor(line: KeyLine, skewMs: number) {
    this.#line = line
    this.#skewMs = skewMs
  }

  hear(at: number): void {
    if (at < this.cutUntil) return
    this.#heardAt = at
    this.#held = this.#line.keys
      .filter(({ state }) => PUBLISHED.has(state))
      .map(({ kid, activeAt, retireAt }) => ({
        kid,
        activeAt: activeAt.getTime(),
        retireAt: retireAt.getTime(),
      }))
      .toSorted((a, b) => b.activeAt - a.activeAt)
  }

  /** The key that it would sign with. A revocation reaches it within a second, cut or not. */
  keyAt(at: number): string | undefined {
    if (at >= this.#heardAt + LEASE_MS) return undefined
    const { revoked } = this.#line
    return keyInUse(this.#held, at + this.#skewMs, (kid) => (revoked.get(kid) ?? at) < at - 1_000)?.kid
  }
}

/** A resource server of a third party: it caches the key set for as long as it may. */
class Verifier {
  readonly #line: KeyLine
  #kids: ReadonlySet<string> = new Set()
  #until = Number.NEGATIVE_INFINITY

  constructor(line: KeyLine) {
    this.#line = line
  }

  fetch(at: number): void {
    const { keys } = this.#line
    this.#until = at + keySetMaxAgeSeconds(keys, new Date(at)) * 1_000
    this.#kids = new Set(keys.filter(({ state }) => PUBLISHED.has(state)).map(({ kid }) => kid))
  }

  /** The cached key set; undefined when it has to fetch again. */
  readonly cached = (at: number): ReadonlySet<string> | undefined =>
    at < this.#until ? this.#kids : undefined

  knows(kid: string, at: number): boolean {
    if (this.cached(at) === undefined) this.fetch(at)
    return this.#kids.has(kid)
  }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.parse('2030-01-01T00:00:00Z')

/** Policy with one line of signing keys, so that days cost little; the others follow the same rules. */
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

describe('days of rotation with restarts, cut streams, and clocks that differ by up to 5 s [F-27]', () => {
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
