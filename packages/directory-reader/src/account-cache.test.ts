import { createFakeClock } from '@signet/testing/fake-clock'
import { describe, expect, it } from 'vitest'
import { FollowingAccountCache } from './account-cache.ts'
import type { Changes } from './change-feed.ts'
import type { Account } from './views.ts'

const NONE = changesOf({})
const OVERFLOW: Changes = { overflow: true }

function changesOf(ids: Readonly<Record<string, readonly string[]>>): Changes {
  const sets = Object.entries(ids).map(([kind, some]) => [kind, new Set(some)] as const)
  return { ids: new Map(sets), overflow: false }
}

function accountOf(userId: string, organizationId = 'acme'): Account {
  return { userId, organizationId } as Account
}

/** A cache for three small values, and the cached rows, by when they were read. */
function cacheAndRows() {
  const clock = createFakeClock()
  const rows = new Map<Account, number>()
  const cache = new FollowingAccountCache<string>({
    maxSize: 3,
    sizeOf: (value) => (value.includes('large') ? 2 : 1),
    elapsed: () => clock.now().getTime(),
    readAt: (account) => rows.get(account),
  })
  const nowMs = () => clock.now().getTime()
  return {
    cache,
    clock,
    nowMs,
    rows,
    /** Derived from a row and another source that were read now. */
    set(key: string, account = accountOf('alice'), readAt = nowMs()) {
      rows.set(account, nowMs())
      cache.set(key, `derived from ${key}`, { account, readAt })
    },
  }
}

describe('values derived from an account', () => {
  it('is found under its key only', () => {
    const { cache, set } = cacheAndRows()
    set('one')
    expect(cache.get('one')).toBe('derived from one')
    expect(cache.get('one')).toBe('derived from one')
    expect(cache.get('two')).toBeUndefined()
  })

  it.each([
    ['its account', { account: ['alice'] }],
    ['its organization', { organization: ['acme'] }],
    ['both', { account: ['alice'], organization: ['acme'] }],
  ])('is dropped when %s changes', (_, changes) => {
    const { cache, set } = cacheAndRows()
    set('one')
    cache.apply(NONE)
    expect(cache.get('one')).toBe('derived from one')
    cache.apply(changesOf(changes))
    expect(cache.get('one')).toBeUndefined()
    cache.apply(NONE)
    expect(cache.get('one')).toBeUndefined()
  })

  it('stays when an unrelated row changes, also with the same id', () => {
    const { cache, set } = cacheAndRows()
    set('one')
    cache.apply(changesOf({ account: ['bob', 'acme'], organization: ['other', 'alice'], project: ['alice'] }))
    expect(cache.get('one')).toBe('derived from one')
  })

  it('are dropped with the first of several changes of any kind', () => {
    const { cache, set } = cacheAndRows()
    set('one')
    cache.apply(changesOf({ account: ['alice'] }))
    cache.apply(changesOf({ account: ['bob'] }))
    expect(cache.get('one')).toBeUndefined()
  })

  it('stays when it was made after the change, and is dropped with the next', () => {
    const { cache, set } = cacheAndRows()
    cache.apply(changesOf({ account: ['alice'], organization: ['acme'] }))
    set('one')
    expect(cache.get('one')).toBe('derived from one')
    cache.apply(NONE)
    expect(cache.get('one')).toBe('derived from one')
    cache.apply(changesOf({ account: ['alice'] }))
    expect(cache.get('one')).toBeUndefined()
  })

  it('is not stored when the row is not the cached one, and an earlier value stays', () => {
    const { cache, rows, set } = cacheAndRows()
    const dropped = accountOf('alice')
    set('one', dropped)
    rows.delete(dropped)
    cache.set('one', 'derived late', { account: dropped, readAt: 0 })
    expect(cache.get('one')).toBe('derived from one')
    cache.set('two', 'derived late', { account: dropped, readAt: 0 })
    expect(cache.get('two')).toBeUndefined()
  })

  it('are dropped when there were too many changes to read them one by one', () => {
    const { cache, set } = cacheAndRows()
    set('one')
    set('two', accountOf('bob', 'other'))
    cache.apply(OVERFLOW)
    expect(cache.get('one')).toBeUndefined()
    expect(cache.get('two')).toBeUndefined()
    set('one')
    expect(cache.get('one')).toBe('derived from one')
  })
})

describe('60 seconds', () => {
  it.each([
    ['the row', 20_000, 0],
    ['the other source', 0, 20_000],
  ])('count from when %s was read, which was first', (_, rowAgeMs, otherAgeMs) => {
    const { cache, clock, rows, nowMs } = cacheAndRows()
    const account = accountOf('alice')
    rows.set(account, nowMs() - rowAgeMs)
    cache.set('one', 'derived from one', { account, readAt: nowMs() - otherAgeMs })
    clock.advance(39_999)
    expect(cache.get('one')).toBe('derived from one')
    clock.advance(1)
    expect(cache.get('one')).toBeUndefined()
  })

  it('stay valid while the change feed is silent; a poll does not extend them', () => {
    const { cache, clock, set } = cacheAndRows()
    set('silent')
    clock.advance(30_000)
    cache.apply(NONE)
    clock.advance(29_999)
    expect(cache.get('silent')).toBe('derived from silent')
    clock.advance(1)
    expect(cache.get('silent')).toBeUndefined()
  })

  it('a change is known for as long as anything that it concerns, however many polls have passed', () => {
    const { cache, clock, set } = cacheAndRows()
    set('one')
    cache.apply(changesOf({ account: ['alice'] }))
    for (let poll = 0; poll < 119; poll += 1) {
      clock.advance(500)
      cache.apply(NONE)
    }
    expect(cache.get('one')).toBeUndefined()
  })
})

describe('the maximum size', () => {
  it('evicts the least recently set or read value, and only that', () => {
    const { cache, set } = cacheAndRows()
    for (const key of ['one', 'two', 'three']) set(key)
    expect(cache.get('one')).toBe('derived from one')
    set('four')
    expect(cache.get('two')).toBeUndefined()
    for (const key of ['one', 'three', 'four']) expect(cache.get(key)).toBe(`derived from ${key}`)
  })

  it('replaces a value by a new one, which is then the most recent', () => {
    const { cache, set } = cacheAndRows()
    for (const key of ['one', 'two', 'three']) set(key)
    set('two')
    for (const key of ['four', 'five']) set(key)
    for (const key of ['one', 'three']) expect(cache.get(key)).toBeUndefined()
    for (const key of ['two', 'four', 'five']) expect(cache.get(key)).toBe(`derived from ${key}`)
  })

  it('counts each value by its own size', () => {
    const { cache, set } = cacheAndRows()
    for (const key of ['large', 'one']) set(key)
    for (const key of ['large', 'one']) expect(cache.get(key)).toBe(`derived from ${key}`)
    set('two')
    expect(cache.get('large')).toBeUndefined()
    for (const key of ['one', 'two']) expect(cache.get(key)).toBe(`derived from ${key}`)
    set('large too')
    expect(cache.get('one')).toBeUndefined()
    for (const key of ['two', 'large too']) expect(cache.get(key)).toBe(`derived from ${key}`)
  })
})
