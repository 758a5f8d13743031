import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Redis } from '@signet/redis/client'
import { createFakeClock } from '@signet/testkit/fake-clock'
import { describe, expect, it } from 'vitest'
import { LookUp } from './look-up.ts'
import { followRevocationLog } from './revocation-log.ts'
import { RevocationMemory } from './revocation-memory.ts'
import type { IdentifiedServer } from './server-identity.ts'

type Entry = [id: string, fields: string[]]

/** A server that answers with the log it has, and holds its answers back while it is told to. */
function fakeServer(identity: string) {
  const log: Entry[] = [['1-0', ['opened', '0']]]
  const held: (() => void)[] = []
  const server = { fill: identity, log, held, holds: false, fails: false, ranges: 0 }
  const connection = {
    get: async () => server.fill,
    xrevrange: async () => log.slice(-1),
    async xrange(_key: string, first: string) {
      server.ranges += 1
      if (server.fails) throw new Error('Connection is closed.')
      const at = log.findIndex(([id]) => id === first)
      const answer = at < 0 ? [] : log.slice(at, at + 1_000)
      if (server.holds) await new Promise<void>((release) => held.push(release))
      return answer
    },
  }
  return { server, owner: { connection: connection as unknown as Redis, identity } }
}

function follower() {
  const clock = createFakeClock()
  const elapsed = () => clock.now().getTime()
  const memory = new RevocationMemory(elapsed)
  const { server, owner } = fakeServer('first')
  const state = {
    owner: owner as IdentifiedServer | undefined,
    loads: 0,
    finds: (held: RevocationMemory) => held.holdsAll(),
  }
  const log = followRevocationLog({
    servers: { ownerOf: () => state.owner, check: async () => undefined, layoutChanged: () => undefined },
    ask: (_, ask) => ask().catch(() => undefined),
    memory,
    async load() {
      state.loads += 1
      state.finds(memory)
    },
    elapsed,
    onProblem: () => undefined,
  })
  const isEnded = async (tokenId: string) =>
    (await log.isCaughtUp())
      ? memory.anyEnded(new LookUp({ subject: 'alice', tokenId, organizations: [] }))
      : undefined
  return {
    ...{ clock, memory, server, owner, state, isEnded },
    async begun() {
      await expect.poll(() => isEnded('begun')).toBe(false)
    },
  }
}

describe('an answer that was on its way', () => {
  it.each<[string, (owner: IdentifiedServer) => IdentifiedServer | undefined]>([
    ['the server turned out to be another', ({ connection }) => ({ connection, identity: 'second' })],
    ['the log moved', ({ identity }) => ({ connection: {} as Redis, identity })],
    ['it is not known any more which server it was', () => undefined],
  ])('counts for nothing when meanwhile %s', async (_, become) => {
    const { server, owner, state, isEnded, begun } = follower()
    await begun()
    server.holds = true
    const answer = isEnded('alive')
    await expect.poll(() => server.held.length).toBe(1)
    state.owner = become(owner)
    server.held[0]?.()
    expect(await answer).toBeUndefined()
  })

  it('is not for those who ask later: they share the one after it', async () => {
    const { server, isEnded, begun } = follower()
    await begun()
    const before = server.ranges
    server.holds = true
    const early = isEnded('one')
    await expect.poll(() => server.held.length).toBe(1)
    server.log.push(['2-0', ['t:one', '1']])
    const later = Array.from({ length: 5 }, () => isEnded('one'))
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
    expect(server.ranges).toBe(before + 1)
    server.holds = false
    server.held[0]?.()
    expect(await early).toBe(false)
    expect(await Promise.all(later)).toEqual(Array.from({ length: 5 }, () => true))
    expect(server.ranges).toBe(before + 2)
  })

  it('counts for nothing while memory lacks something that was revoked', async () => {
    const { clock, memory, server, isEnded, begun } = follower()
    await begun()
    memory.lacksSome()
    expect(await isEnded('alive')).toBeUndefined()
    // It costs a question only when there is hope.
    const before = server.ranges
    clock.advance(599_000)
    expect(await isEnded('alive')).toBeUndefined()
    expect(server.ranges).toBe(before)
    clock.advance(1_000)
    await begun()
  })

  it('that does not come is none, and no reason to begin anew', async () => {
    const { server, state, isEnded, begun } = follower()
    await begun()
    server.log.push(['2-0', ['t:one', '1']])
    server.fails = true
    expect(await isEnded('one')).toBeUndefined()
    server.fails = false
    expect(await isEnded('one')).toBe(true)
    expect(state.loads).toBe(1)
  })
})

describe('the beginning', () => {
  it('comes to nothing with a server that was not filled, and is tried again a second later', async () => {
    const { clock, server, state, isEnded, begun } = follower()
    server.fill = 'another'
    for (let time = 0; time < 20; time += 1) expect(await isEnded('one')).toBeUndefined()
    server.fill = 'first'
    clock.advance(999)
    for (let time = 0; time < 20; time += 1) expect(await isEnded('one')).toBeUndefined()
    expect(state.loads).toBe(0)
    clock.advance(1)
    await begun()
    expect(state.loads).toBe(1)
  })

  it('comes to nothing without an entry to begin from', async () => {
    const { clock, server, state, isEnded } = follower()
    server.log.length = 0
    for (let time = 0; time < 5; time += 1) {
      expect(await isEnded('one')).toBeUndefined()
      clock.advance(1_000)
    }
    expect(state.loads).toBe(0)
  })

  it('goes on where more was revoked than one round trip brings, and reads nothing anew for that', async () => {
    const { server, state, isEnded, begun } = follower()
    await begun()
    for (let n = 2; n < 2_500; n += 1) server.log.push([`${n}-0`, [`t:${n}`, '1']])
    const before = server.ranges
    expect(await isEnded('2499')).toBeUndefined()
    expect(await isEnded('2499')).toBeUndefined()
    expect(await isEnded('2499')).toBe(true)
    expect(server.ranges).toBe(before + 3)
    expect(state.loads).toBe(1)
  })

  it('is made anew after an entry that nobody wrote who knows how', async () => {
    const { clock, server, state, isEnded, begun } = follower()
    await begun()
    server.log.push(['2-0', ['t:one', 'yes']])
    expect(await isEnded('one')).toBeUndefined()
    clock.advance(1_000)
    await begun()
    expect(state.loads).toBe(2)
  })

  it('comes again where the server is another, without a second of waiting only while none was tried', async () => {
    const { clock, server, owner, state, isEnded, begun } = follower()
    await begun()
    state.owner = { ...owner, identity: 'second' }
    expect(await isEnded('one')).toBeUndefined()
    for (let turn = 0; turn < 5; turn += 1) {
      await nextTurn()
      expect(await isEnded('one')).toBeUndefined()
    }
    expect(state.loads).toBe(1)
    server.fill = 'second'
    clock.advance(1_000)
    await begun()
    expect(state.loads).toBe(2)
  })

  it('is not tried each second while there is more than memory holds, since each try reads all of it', async () => {
    const { clock, state, isEnded } = follower()
    state.finds = (memory) => memory.lacksSome()
    for (let second = 0; second < 60; second += 1) {
      expect(await isEnded('one')).toBeUndefined()
      await nextTurn()
      clock.advance(1_000)
    }
    expect(state.loads).toBeLessThan(5)
  })
})
