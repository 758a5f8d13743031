import { createFakeClock } from '@signet/testkit/fake-clock'
import { describe, expect, it } from 'vitest'
import { LookUp } from './look-up.ts'
import { MOST_REVOCATIONS, RevocationMemory } from './revocation-memory.ts'

/** A day, a minute for the mirror, and a minute within which nothing is renewed. */
const KEPT_MS = (24 * 60 * 60 + 60 + 60) * 1_000
/** Of those it may hold. */
const SIXTEENTH = MOST_REVOCATIONS / 16

const token = (tokenId: string) => new LookUp({ subject: 'alice', tokenId, organizations: [] })
const ofUser = (epoch: number) =>
  new LookUp({ subject: 'alice', user: { id: 'alice', epoch }, organizations: [] })

function memoryAndClock() {
  const clock = createFakeClock()
  return { memory: new RevocationMemory(() => clock.now().getTime()), clock }
}

/** As many tokens as it may hold, and so many more. */
function overfill(memory: RevocationMemory, excess: number): void {
  for (let n = 0; n < MOST_REVOCATIONS + excess; n += 1) memory.keep(`t:${n}`, 1)
}

describe('what a process remembers of revocations', () => {
  it('ends what was revoked and nothing else', () => {
    const { memory } = memoryAndClock()
    expect(memory.anyEnded(token('one'))).toBe(false)
    memory.keep('t:one', 1)
    expect(memory.anyEnded(token('one'))).toBe(true)
    expect(memory.anyEnded(token('other'))).toBe(false)
    expect(memory.anyEnded(ofUser(0))).toBe(false)
  })

  it('one end of several is enough', () => {
    const { memory } = memoryAndClock()
    memory.keep('o:acme', 3)
    const organizations = [
      { id: 'other', epoch: 0 },
      { id: 'acme', epoch: 2 },
    ]
    expect(memory.anyEnded(new LookUp({ subject: 'alice', tokenId: 'one', organizations }))).toBe(true)
  })

  it('values only rise, in whichever order they come', () => {
    const { memory } = memoryAndClock()
    for (const value of [2, 5, 3]) memory.keep('u:alice', value)
    expect(memory.anyEnded(ofUser(4))).toBe(true)
    expect(memory.anyEnded(ofUser(5))).toBe(false)
    memory.keep('u:alice', 6)
    expect(memory.anyEnded(ofUser(5))).toBe(true)
  })

  it('what is over makes room, without a word about it', () => {
    const { memory, clock } = memoryAndClock()
    memory.holdsAll()
    memory.keep('t:old', 1)
    clock.advance(KEPT_MS)
    overfill(memory, 0)
    expect(memory.anyEnded(token('old'))).toBe(false)
    expect(memory.anyEnded(token('0'))).toBe(true)
    expect(memory.isComplete()).toBe(true)
    expect(memory.givenUp).toBe(0)
  })

  it('what comes again stays for as long as if it had come then only, a minute more or less', () => {
    const { memory, clock } = memoryAndClock()
    memory.keep('u:alice', 2)
    memory.keep('t:one', 1)
    clock.advance(KEPT_MS - 1)
    memory.keep('u:alice', 1)
    clock.advance(1)
    overfill(memory, -1)
    expect(memory.anyEnded(token('one'))).toBe(false)
    expect(memory.anyEnded(ofUser(1))).toBe(true)
  })

  it('what is told ten times within a minute keeps its place', () => {
    const { memory, clock } = memoryAndClock()
    memory.holdsAll()
    memory.keep('t:old', 1)
    clock.advance(59_999)
    memory.keep('t:old', 1)
    clock.advance(KEPT_MS - 59_999)
    overfill(memory, 0)
    expect(memory.anyEnded(token('old'))).toBe(false)
    expect(memory.givenUp).toBe(0)
  })
})

describe('whether anything is missing', () => {
  it('everything is, until it was told that it holds all', () => {
    const { memory, clock } = memoryAndClock()
    memory.keep('t:one', 1)
    clock.advance(10 * KEPT_MS)
    expect(memory.isComplete()).toBe(false)
    memory.holdsAll()
    expect(memory.isComplete()).toBe(true)
  })

  it('nothing is at the bound; beyond it the oldest are given up', () => {
    const { memory } = memoryAndClock()
    memory.holdsAll()
    overfill(memory, 0)
    expect(memory.isComplete()).toBe(true)
    expect(memory.anyEnded(token('0'))).toBe(true)
    memory.keep('t:one more', 1)
    expect(memory.isComplete()).toBe(false)
    expect(memory.givenUp).toBe(SIXTEENTH + 1)
    expect(memory.anyEnded(token('0'))).toBe(false)
    expect(memory.anyEnded(token(`${SIXTEENTH}`))).toBe(false)
    expect(memory.anyEnded(token(`${SIXTEENTH + 1}`))).toBe(true)
    expect(memory.anyEnded(token('one more'))).toBe(true)
  })

  it('what comes again takes no place of its own', () => {
    const { memory } = memoryAndClock()
    memory.holdsAll()
    overfill(memory, 0)
    memory.keep('t:0', 1)
    expect(memory.isComplete()).toBe(true)
  })

  it('what it gave up is missing until there is nothing left that it could end', () => {
    const { memory, clock } = memoryAndClock()
    memory.holdsAll()
    overfill(memory, 0)
    clock.advance(1_000)
    memory.keep('t:one more', 1)
    clock.advance(KEPT_MS - 1_001)
    expect(memory.isComplete()).toBe(false)
    clock.advance(1)
    expect(memory.isComplete()).toBe(true)
  })

  it('of several that it gave up the youngest counts', () => {
    const { memory, clock } = memoryAndClock()
    memory.holdsAll()
    memory.keep('t:old', 1)
    clock.advance(5_000)
    overfill(memory, 1)
    expect(memory.givenUp).toBeGreaterThan(1)
    clock.advance(KEPT_MS - 1)
    expect(memory.isComplete()).toBe(false)
    clock.advance(1)
    expect(memory.isComplete()).toBe(true)
  })

  it('what it was never given is missing for as long as if it was revoked just now', () => {
    const { memory, clock } = memoryAndClock()
    memory.holdsAll()
    memory.lacksSome()
    expect(memory.isComplete()).toBe(false)
    clock.advance(KEPT_MS - 1)
    expect(memory.isComplete()).toBe(false)
    clock.advance(1)
    expect(memory.isComplete()).toBe(true)
  })
})
