import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KeyLife } from './key-life.ts'
import { isSettled, planRotation, type RotationPlan, revokeNow, rotateNow } from './plan.ts'
import { ROTATION_POLICY, withSigningAlgorithms } from './policy.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = new Date('2026-01-01T00:00:00Z')
const policy = withSigningAlgorithms(ROTATION_POLICY, ['RS256', 'ES256', 'EdDSA'])

let made = 0
function applied(keys: readonly KeyLife[], { create, change, forget }: RotationPlan): readonly KeyLife[] {
  const changed = new Map(change.map((key) => [key.kid, key]))
  const gone = new Set(forget)
  return [
    ...keys.filter(({ kid }) => !gone.has(kid)).map((key) => changed.get(key.kid) ?? key),
    ...create.map((key) => ({ ...key, kid: `k${++made}` })),
  ]
}

const at = (milliseconds: number) => new Date(START.getTime() + milliseconds)
function linesOf(keys: readonly KeyLife[]): ReadonlyMap<string, readonly KeyLife[]> {
  const nameOf = ({ ring, algorithm }: KeyLife) => `${ring}/${algorithm}`
  return new Map(keys.map((key) => [nameOf(key), keys.filter((other) => nameOf(other) === nameOf(key))]))
}

const inTurn = (line: readonly KeyLife[]) =>
  line
    .filter(({ state }) => state === 'active' || state === 'announced')
    .toSorted((a, b) => a.activeAt.getTime() - b.activeAt.getTime())

/** Rotations at the given times after the start, in milliseconds; calls `see` with the keys after each. */
function simulate(
  times: readonly number[],
  see: (keys: readonly KeyLife[], now: Date, before: readonly KeyLife[]) => void,
) {
  let keys: readonly KeyLife[] = []
  for (const time of [0, ...times]) {
    const before = keys
    keys = applied(keys, planRotation(keys, policy, at(time)))
    see(keys, at(time), before)
  }
  return keys
}

// Ticks from a second to months apart: a suite that runs, restarts, and is switched off for a while.
const gaps = fc.array(
  fc.oneof(
    fc.integer({ min: 1_000, max: 10_000 }),
    fc.integer({ min: HOUR, max: 30 * HOUR }),
    fc.integer({ min: DAY, max: 90 * DAY }),
  ),
  { maxLength: 60 },
)
const ticks = gaps.map((steps) => {
  let time = 0
  return steps.map((step) => (time += step))
})
const always = (property: (times: number[]) => void) =>
  fc.assert(fc.property(ticks, property), { numRuns: 200 })

describe('planRotation', () => {
  it('first start: one key of every line works at once, with two heirs beside it', () => {
    const keys = simulate([], () => {})
    expect(linesOf(keys).size).toBe(7)
    for (const line of linesOf(keys).values()) {
      expect(line.map(({ state }) => state)).toEqual(['active', 'announced', 'announced'])
      expect(line[0]?.activeAt.getTime()).toBeLessThan(START.getTime())
    }
  })

  it('every line has exactly one active and two announced keys without a gap between them', () => {
    always((times) => {
      simulate(times, (keys) => {
        for (const line of linesOf(keys).values()) {
          const [active, next, reserve] = inTurn(line)
          expect([active?.state, next?.state, reserve?.state]).toEqual(['active', 'announced', 'announced'])
          expect([next?.activeAt, reserve?.activeAt]).toEqual([active?.retireAt, next?.retireAt])
          expect(inTurn(line)).toHaveLength(3)
        }
      })
    })
  })

  it('after every plan the active key may be used now', () => {
    always((times) => {
      simulate(times, (keys, now) => {
        for (const key of keys.filter(({ state }) => state === 'active')) {
          expect(key.activeAt <= now && now < key.retireAt).toBe(true)
        }
      })
    })
  })

  it('a key is visible for the announced time before its first use, the first one excepted [F-27]', () => {
    always((times) => {
      simulate(times, (keys) => {
        for (const key of keys.filter(({ announcedAt }) => announcedAt > START)) {
          expect(key.activeAt.getTime() - key.announcedAt.getTime()).toBeGreaterThanOrEqual(policy.announceMs)
        }
      })
    })
  })

  it('no key leaves the key set before the last token that it could sign has expired [F-27]', () => {
    always((times) => {
      simulate(times, (keys, now, before) => {
        for (const key of before.filter(({ state }) => state === 'active' || state === 'retired')) {
          const after = keys.find(({ kid }) => kid === key.kid)
          const inKeySet = after !== undefined && ['active', 'retired'].includes(after.state)
          const lastExpiry = key.retireAt.getTime() + (key.ring === 'refresh-mac' ? 400 * DAY : 24 * HOUR)
          if (now.getTime() <= lastExpiry) expect(inKeySet).toBe(true)
        }
      })
    })
  })

  it('states never go backwards and the times of use never change once they have passed', () => {
    const order = ['announced', 'active', 'retired', 'removed', 'verify-only']
    always((times) => {
      simulate(times, (keys, now, before) => {
        for (const key of before) {
          const after = keys.find(({ kid }) => kid === key.kid)
          if (after === undefined) continue
          expect(order.indexOf(after.state)).toBeGreaterThanOrEqual(order.indexOf(key.state))
          expect(after.retireAt.getTime()).toBeGreaterThanOrEqual(key.retireAt.getTime())
          expect(after.activeAt.getTime()).toBeGreaterThanOrEqual(key.activeAt.getTime())
          if (key.state !== 'announced') expect(after.activeAt).toEqual(key.activeAt)
          if (key.state === 'retired') expect(after.retireAt).toEqual(key.retireAt)
          if (after.retireAt > key.retireAt) expect(after.retireAt > now).toBe(true)
        }
      })
    })
  })

  it('planning twice for one moment changes nothing', () => {
    always((times) => {
      simulate(times, (keys, now) => expect(isSettled(planRotation(keys, policy, now))).toBe(true))
    })
  })

  it('a plan made by a replica whose clock is 5 s behind contains no change', () => {
    always((times) => {
      simulate(times, (keys, now) => {
        const behind = new Date(now.getTime() - 5_000)
        expect(isSettled(planRotation(keys, policy, behind))).toBe(true)
      })
    })
  })

  it('keeps the public half of a signing key for 400 days and no record of a symmetric key', () => {
    const daily = Array.from({ length: 520 }, (_, day) => (day + 1) * DAY)
    const keys = simulate(daily, () => {})
    const states = (ring: string) =>
      new Set(keys.filter((key) => key.ring === ring).map(({ state }) => state))
    expect(states('signing')).toEqual(new Set(['announced', 'active', 'verify-only']))
    expect(states('access-seal')).toEqual(new Set(['announced', 'active', 'retired']))
    const oldest = keys
      .filter(({ ring }) => ring === 'signing')
      .reduce((a, b) => (a.removeAt < b.removeAt ? a : b))
    const age = at(520 * DAY).getTime() - oldest.removeAt.getTime()
    expect(age).toBeLessThanOrEqual(400 * DAY)
    expect(age).toBeGreaterThan(365 * DAY)
    expect(keys.filter(({ ring }) => ring === 'refresh-mac').length).toBeLessThanOrEqual(18)
  })

  it('a new algorithm in a running ring is visible before it is used', () => {
    const keys = simulate([], () => {}).filter(({ algorithm }) => algorithm !== 'EdDSA')
    const { create } = planRotation(keys, policy, at(HOUR))
    const activeAt = at(HOUR + policy.visibleMs)
    expect(create).toMatchObject([
      { algorithm: 'EdDSA', state: 'announced', activeAt },
      { algorithm: 'EdDSA', state: 'announced', activeAt: at(HOUR + policy.visibleMs + 30 * DAY) },
    ])
  })
})

describe('an algorithm that is not named any more', () => {
  const named = withSigningAlgorithms(ROTATION_POLICY, ['RS256', 'ES256'])
  const ofEdDsa = (keys: readonly KeyLife[]) => keys.filter(({ algorithm }) => algorithm === 'EdDSA')

  it('loses its announced keys at once, and its active key when the last token of that has expired', () => {
    const before = simulate([], () => {})
    const [active, ...announced] = ofEdDsa(before)
    const plan = planRotation(before, named, at(HOUR))
    expect(plan.create).toEqual([])
    expect(plan.forget).toEqual(announced.map(({ kid }) => kid))
    expect(plan.change).toMatchObject([{ kid: active?.kid, state: 'retired', retireAt: at(HOUR) }])
    const after = applied(before, plan)
    expect(isSettled(planRotation(after, named, at(HOUR)))).toBe(true)
    const { keepMs, verifyOnlyMs } = named.rings.signing
    const later = (ms: number) => ofEdDsa(applied(after, planRotation(after, named, at(HOUR + ms))))
    expect(later(keepMs - 1)).toMatchObject([{ state: 'retired' }])
    expect(later(keepMs)).toMatchObject([{ state: 'verify-only' }])
    expect(later(keepMs + verifyOnlyMs)).toEqual([])
  })

  it('gets new keys when it is named again', () => {
    const before = simulate([], () => {})
    const dropped = applied(before, planRotation(before, named, at(HOUR)))
    const again = applied(dropped, planRotation(dropped, policy, at(2 * HOUR)))
    expect(
      ofEdDsa(again)
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['announced', 'announced', 'retired'])
    const used = applied(again, planRotation(again, policy, at(2 * HOUR + policy.visibleMs)))
    expect(ofEdDsa(used).filter(({ state }) => state === 'active')).toHaveLength(1)
  })
})

describe('rotateNow and revokeNow', () => {
  // Ticks, rotations and emergencies in any order, a millisecond to some days apart.
  const step = fc.record({
    gap: fc.oneof(fc.integer({ min: 0, max: 10 * 60_000 }), fc.integer({ min: HOUR, max: 40 * DAY })),
    act: fc.constantFrom('tick', 'rotate', 'revoke' as const),
    pick: fc.nat(1_000),
  })
  const acted = (keys: readonly KeyLife[], { act, pick }: { act: string; pick: number }, now: Date) => {
    const key = keys[pick % keys.length]
    if (act === 'rotate' && key !== undefined) return rotateNow(keys, [key], policy, now)
    if (act === 'revoke' && key !== undefined) return revokeNow(keys, key, policy, now)
    return planRotation(keys, policy, now)
  }
  const afterEachStep = (see: (keys: readonly KeyLife[], before: readonly KeyLife[], now: Date) => void) =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let keys = applied([], planRotation([], policy, START))
        let now = START
        for (const each of steps) {
          now = new Date(now.getTime() + each.gap)
          const before = applied(keys, planRotation(keys, policy, now))
          keys = applied(before, acted(before, each, now))
          see(keys, before, now)
        }
      }),
      { numRuns: 150 },
    )

  it('after any operation every line has a usable active key and two announced ones without a gap', () => {
    afterEachStep((keys, _, now) => {
      for (const line of linesOf(keys.filter(({ revokedAt }) => revokedAt === undefined)).values()) {
        const [active, next, reserve, ...more] = inTurn(line)
        expect([active?.state, next?.state, reserve?.state, more.length]).toEqual([
          ...['active', 'announced', 'announced', 0],
        ])
        expect([next?.activeAt, reserve?.activeAt]).toEqual([active?.retireAt, next?.retireAt])
        expect(active !== undefined && active.activeAt <= now && now < active.retireAt).toBe(true)
      }
      expect(isSettled(planRotation(keys, policy, now))).toBe(true)
    })
  })

  it('a key that is brought forward was visible long enough, unless it replaces a revoked one [F-27]', () => {
    afterEachStep((keys, before, now) => {
      const emergency = keys.some(({ revokedAt }) => revokedAt?.getTime() === now.getTime())
      for (const key of keys.filter(({ state }) => state === 'active')) {
        const was = before.find(({ kid }) => kid === key.kid)
        if (was?.state !== 'announced' || emergency) continue
        expect(now.getTime() - key.announcedAt.getTime()).toBeGreaterThanOrEqual(policy.visibleMs)
      }
    })
  })

  it('a key that was revoked is removed for good, and only that key', () => {
    afterEachStep((keys, before, now) => {
      for (const key of keys) {
        const was = before.find(({ kid }) => kid === key.kid)
        if (was?.revokedAt !== undefined) expect(key).toEqual(was)
        if (key.revokedAt !== undefined) expect([key.state, key.removeAt <= now]).toEqual(['removed', true])
        else if (was !== undefined && was.state !== key.state) expect(key.state).not.toBe('removed')
      }
    })
  })

  it('a holder that misses a rotation on demand finds its key in the key set until its last token expired [F-27]', () => {
    afterEachStep((keys, before, now) => {
      for (const was of before.filter(({ state }) => state === 'active')) {
        const key = keys.find(({ kid }) => kid === was.kid)
        if (key?.state !== 'retired') continue
        const lastUse = Math.min(was.retireAt.getTime(), now.getTime() + policy.leaseMs)
        expect(key.removeAt.getTime()).toBeGreaterThan(lastUse + 24 * HOUR)
      }
    })
  })
})
