import { describe, expect, it } from 'vitest'
import {
  addressBlock,
  createFailureLimit,
  createLeakyBucket,
  createNetworkLimit,
  createRequestLimit,
} from './rate-limit.ts'

function bucketAt(perSecond: number) {
  const time = { ms: Date.UTC(2030) }
  const bucket = createLeakyBucket(perSecond, () => time.ms)
  /** How many uses of the key are free now; each is counted. */
  const uses = (key = 'one') => {
    let count = 0
    while (bucket.waitSeconds(key) === 0 && count < 2_000) {
      bucket.fill(key)
      count += 1
    }
    return count
  }
  return { time, bucket, uses }
}

describe('throttling', () => {
  it('a key has a second worth of uses at once, and as many in each second after that', () => {
    const { time, uses } = bucketAt(20)
    expect(uses()).toBe(20)
    time.ms += 50
    expect(uses()).toBe(1)
    time.ms += 1_000
    expect(uses()).toBe(20)
    time.ms += 3_600_000
    expect(uses()).toBe(20)
  })

  it.each([1, 3, 7, 1_000])('a limit of %i is exactly that', (perSecond) => {
    const { time, uses } = bucketAt(perSecond)
    expect(uses()).toBe(perSecond)
    time.ms += 1_000
    expect(uses()).toBe(perSecond)
  })

  it('is empty when no key has to wait', () => {
    const { time, bucket } = bucketAt(2)
    expect(bucket.isEmpty()).toBe(true)
    bucket.fill('one')
    time.ms += 400
    bucket.fill('other')
    time.ms += 499
    expect(bucket.isEmpty()).toBe(false)
    time.ms += 1
    expect(bucket.isEmpty()).toBe(true)
  })

  it('counts keys separately', () => {
    const { uses } = bucketAt(5)
    expect([uses('one'), uses('other')]).toEqual([5, 5])
  })

  it('says how many seconds to wait, rounded up', () => {
    const { bucket, uses } = bucketAt(1)
    uses()
    expect(bucket.waitSeconds('one')).toBe(1)
  })

  it('uses beyond the limit delay no later use by more than a second', () => {
    const { time, bucket, uses } = bucketAt(20)
    for (let use = 0; use < 10_000; use += 1) bucket.fill('one')
    expect(bucket.waitSeconds('one')).toBe(1)
    time.ms += 1_000
    expect(uses()).toBe(20)
  })

  it('a longer window lets uses leave as slowly, several at once included', () => {
    const time = { ms: 0 }
    const bucket = createLeakyBucket(1_000, () => time.ms, 60_000)
    bucket.fill('one', 999)
    expect(bucket.waitSeconds('one')).toBe(0)
    bucket.fill('one', 500)
    expect(bucket.waitSeconds('one')).toBe(1)
    time.ms += 30_000
    expect(bucket.waitSeconds('one')).toBe(0)
    bucket.fill('one', 500)
    expect(bucket.waitSeconds('one')).toBe(1)
  })

  it('refuses uses that the bucket has no room for', () => {
    const bucket = createLeakyBucket(1_000, () => 0, 60_000)
    bucket.fill('one', 900)
    expect([bucket.waitSeconds('one', 100), bucket.waitSeconds('one', 101)]).toEqual([0, 1])
    expect([bucket.waitSeconds('one', 1_000), bucket.waitSeconds('one', 9_000)]).toEqual([54, 54])
  })

  it('lets a window leave again in each window that passes, for uses of any size', () => {
    const time = { ms: 0 }
    const windowMs = 1_800_000
    const bucket = createLeakyBucket(4_000_000, () => time.ms, windowMs)
    const used = { bytes: 0, refused: 0 }
    const send = () => {
      time.ms += 20
      if (bucket.waitSeconds('one', 3_200) > 0) used.refused += 1
      else {
        bucket.fill('one', 3_200)
        used.bytes += 3_200
      }
    }
    for (let request = 0; request < 90_000; request += 1) send()
    expect(used.bytes).toBeGreaterThan(7_990_000)
    expect(used.bytes).toBeLessThanOrEqual(8_000_000)
    expect(used.refused).toBeGreaterThan(87_000)
    time.ms += windowMs
    expect(bucket.waitSeconds('one', 4_000_000)).toBe(0)
  })

  it('drops old keys instead of growing when a client invents keys [F-48]', () => {
    const { bucket, uses } = bucketAt(20)
    uses('victim')
    for (let key = 0; key < 19_999; key += 1) bucket.fill(`${key}`)
    expect(bucket.waitSeconds('victim')).toBe(1)
    bucket.fill('one more')
    expect(bucket.waitSeconds('victim')).toBe(0)
  })
})

/** How many of 1,000 requests in 10 seconds `use` lets through, and how many of the 30 at once after a quiet second. */
function passed(use: (now: () => Date) => () => void) {
  const time = { ms: Date.UTC(2030) }
  const request = use(() => new Date(time.ms))
  const succeeds = () => {
    try {
      request()
      return true
    } catch {
      return false
    }
  }
  const counts = { steadily: 0, afterwards: 0 }
  for (let count = 0; count < 1_000; count += 1) {
    time.ms += 10
    if (succeeds()) counts.steadily += 1
  }
  time.ms += 1_000
  for (let count = 0; count < 30; count += 1) if (succeeds()) counts.afterwards += 1
  return counts
}

const ADDRESS = '203.0.113.9'

it.each<[string, (now: () => Date) => () => void]>([
  [
    'requests of a client',
    (now) => {
      const limit = createRequestLimit(20, now)
      return () => limit('web')
    },
  ],
  [
    'requests of a network',
    (now) => {
      const limit = createNetworkLimit(20, now)
      return () => limit(ADDRESS)
    },
  ],
  [
    'failed authentications',
    (now) => {
      const limit = createFailureLimit(now)
      return () => {
        limit.requireLeave({ clientId: 'web', clientAddress: ADDRESS })
        limit.count({ clientId: 'web', clientAddress: ADDRESS })
      }
    },
  ],
])('lets 20 %s through in each second while the clock runs, and 20 at once after a pause', (_what, use) => {
  expect(passed(use)).toEqual({ steadily: 20 + 10 * 20 - 1, afterwards: 20 })
})

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:0:1::5', '2001:db8:0:1'],
  ['2001:0DB8:0000:0001:ffff:0:0:1', '2001:db8:0:1'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('throttling: %s counts as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block)
})
