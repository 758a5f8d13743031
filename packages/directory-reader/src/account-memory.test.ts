import { createFakeClock } from '@signet/testing/fake-clock'
import { describe, expect, it } from 'vitest'
import { FollowingAccountMemory } from './account-memory.ts'
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

/** A memory for three, and the cache of rows that it goes by. */
function memoryAndCache() {
  const clock = createFakeClock()
  const cached = new Map<Account, number>()
  const memory = new FollowingAccountMemory<string>({
    most: 3,
    weightOf: () => 1,
    elapsed: () => clock.now().getTime(),
    readAt: (account) => cached.get(account),
  })
  const nowMs = () => clock.now().getTime()
  return {
    memory,
    clock,
    nowMs,
    cached,
    /** Of a row that was read now, and of something else that was. */
    keep(key: string, account = accountOf('alice'), readAt = nowMs()) {
      cached.set(account, nowMs())
      memory.keep(key, `made of ${key}`, { account, readAt })
    },
  }
}

describe('values derived from an account', () => {
  it('is found under its key only', () => {
    const { memory, keep } = memoryAndCache()
    keep('one')
    expect(memory.find('one')).toBe('made of one')
    expect(memory.find('one')).toBe('made of one')
    expect(memory.find('two')).toBeUndefined()
  })

  it.each([
    ['its account', { account: ['alice'] }],
    ['its organization', { organization: ['acme'] }],
    ['both', { account: ['alice'], organization: ['acme'] }],
  ])('is dropped when %s changes', (_, changes) => {
    const { memory, keep } = memoryAndCache()
    keep('one')
    memory.apply(NONE)
    expect(memory.find('one')).toBe('made of one')
    memory.apply(changesOf(changes))
    expect(memory.find('one')).toBeUndefined()
    memory.apply(NONE)
    expect(memory.find('one')).toBeUndefined()
  })

  it('stays when an unrelated row changes, also with the same id', () => {
    const { memory, keep } = memoryAndCache()
    keep('one')
    memory.apply(
      changesOf({ account: ['bob', 'acme'], organization: ['other', 'alice'], project: ['alice'] }),
    )
    expect(memory.find('one')).toBe('made of one')
  })

  it('are dropped with the first of several changes of any kind', () => {
    const { memory, keep } = memoryAndCache()
    keep('one')
    memory.apply(changesOf({ account: ['alice'] }))
    memory.apply(changesOf({ account: ['bob'] }))
    expect(memory.find('one')).toBeUndefined()
  })

  it('stays when it was made after the change, and is dropped with the next', () => {
    const { memory, keep } = memoryAndCache()
    memory.apply(changesOf({ account: ['alice'], organization: ['acme'] }))
    keep('one')
    expect(memory.find('one')).toBe('made of one')
    memory.apply(NONE)
    expect(memory.find('one')).toBe('made of one')
    memory.apply(changesOf({ account: ['alice'] }))
    expect(memory.find('one')).toBeUndefined()
  })

  it('is not stored when the row is not the cached one, and an earlier value stays', () => {
    const { memory, cached, keep } = memoryAndCache()
    const dropped = accountOf('alice')
    keep('one', dropped)
    cached.delete(dropped)
    memory.keep('one', 'made late', { account: dropped, readAt: 0 })
    expect(memory.find('one')).toBe('made of one')
    memory.keep('two', 'made late', { account: dropped, readAt: 0 })
    expect(memory.find('two')).toBeUndefined()
  })

  it('are dropped when there were too many changes to look at', () => {
    const { memory, keep } = memoryAndCache()
    keep('one')
    keep('two', accountOf('bob', 'other'))
    memory.apply(OVERFLOW)
    expect(memory.find('one')).toBeUndefined()
    expect(memory.find('two')).toBeUndefined()
    keep('one')
    expect(memory.find('one')).toBe('made of one')
  })
})

describe('60 seconds', () => {
  it.each([
    ['the row', 20_000, 0],
    ['what else it was made of', 0, 20_000],
  ])('count from when %s was read, which was first', (_, rowAgeMs, otherAgeMs) => {
    const { memory, clock, cached, nowMs } = memoryAndCache()
    const account = accountOf('alice')
    cached.set(account, nowMs() - rowAgeMs)
    memory.keep('one', 'made of one', { account, readAt: nowMs() - otherAgeMs })
    clock.advance(39_999)
    expect(memory.find('one')).toBe('made of one')
    clock.advance(1)
    expect(memory.find('one')).toBeUndefined()
  })

  it('stay valid while the change feed is silent; a poll does not extend them', () => {
    const { memory, clock, keep } = memoryAndCache()
    keep('silent')
    clock.advance(30_000)
    memory.apply(NONE)
    clock.advance(29_999)
    expect(memory.find('silent')).toBe('made of silent')
    clock.advance(1)
    expect(memory.find('silent')).toBeUndefined()
  })

  it('a change is known for as long as anything that it concerns, however many looks have passed', () => {
    const { memory, clock, keep } = memoryAndCache()
    keep('one')
    memory.apply(changesOf({ account: ['alice'] }))
    for (let look = 0; look < 119; look += 1) {
      clock.advance(500)
      memory.apply(NONE)
    }
    expect(memory.find('one')).toBeUndefined()
  })
})

describe('the bound', () => {
  it('the oldest makes room, and only that', () => {
    const { memory, keep } = memoryAndCache()
    for (const key of ['one', 'two', 'three', 'four']) keep(key)
    expect(memory.find('one')).toBeUndefined()
    for (const key of ['two', 'three', 'four']) expect(memory.find(key)).toBe(`made of ${key}`)
  })

  it('a new value replaces the old one and is the youngest', () => {
    const { memory, keep } = memoryAndCache()
    for (const key of ['one', 'two', 'three']) keep(key)
    keep('two')
    for (const key of ['one', 'two', 'three']) expect(memory.find(key)).toBe(`made of ${key}`)
    for (const key of ['four', 'five']) keep(key)
    for (const key of ['one', 'three']) expect(memory.find(key)).toBeUndefined()
    for (const key of ['two', 'four', 'five']) expect(memory.find(key)).toBe(`made of ${key}`)
  })
})
