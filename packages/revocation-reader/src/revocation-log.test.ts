import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Redis } from '@signet/platform/redis/connection'
import { createFakeClock } from '@signet/testing/fake-clock'
import { describe, expect, it } from 'vitest'
import { type Ending, entryFields } from './endings.ts'
import type { IdentifiedServer } from './revocation-log.ts'
import { followRevocationLog } from './revocation-log.ts'
import { RevocationSet } from './revocation-set.ts'

type Entry = [id: string, fields: string[]]

const endOf = (id: string): Ending => ({ kind: 't', id, value: 1, secondsLeft: 60 })
const entry = (id: string, ...endings: readonly Ending[]): Entry => [
  id,
  [...entryFields(endings, 0, Buffer.alloc(32), new Date())],
]

/** A server that replies with its log, and holds replies back while `holds` is set. */
function fakeServer(identity: string) {
  const server = { log: [entry('1-0')], held: [] as (() => void)[], holds: false, fails: false, ranges: 0 }
  const reply = async <T>(found: T): Promise<T> => {
    if (server.fails) throw new Error('Connection is closed.')
    if (server.holds) await new Promise<void>((release) => server.held.push(release))
    return found
  }
  const connection = {
    xrevrange: () => reply(server.log.slice(-1)),
    xrange(_key: string, first: string) {
      server.ranges += 1
      const at = server.log.findIndex(([id]) => id === first)
      return reply(at < 0 ? [] : server.log.slice(at, at + 1_000))
    },
  }
  return { server, owner: { connection: connection as unknown as Redis, identity } }
}

function follower() {
  const clock = createFakeClock()
  const elapsed = () => clock.now().getTime()
  const set = new RevocationSet(10_000, () => elapsed() / 1_000, randomBytes(8))
  const { server, owner } = fakeServer('first')
  const state = { owner: owner as IdentifiedServer | undefined, polls: 0, patient: true }
  const log = followRevocationLog({
    servers: { owner: () => state.owner, check: async () => undefined, redirected: () => undefined },
    // Without patience a reply comes too late.
    ask: (_, command) => {
      const replied = command().catch(() => undefined)
      return state.patient ? replied : nextTurn().then(() => undefined)
    },
    keep: (endings) => {
      for (const ending of endings) set.keep(ending)
    },
    poll: async () => {
      state.polls += 1
    },
    elapsed,
  })
  const isEnded = async (tokenId: string) =>
    (await log.isCaughtUp()) ? set.anyEnded(set.lookUp({ tokenId, organizations: [] })) : undefined
  return {
    ...{ clock, server, owner, state, isEnded },
    async begun() {
      await expect.poll(() => isEnded('alive')).toBe(false)
    },
  }
}

describe('a reply', () => {
  it.each<[string, (owner: IdentifiedServer) => IdentifiedServer | undefined]>([
    ['the server turned out to be another', ({ connection }) => ({ connection, identity: 'second' })],
    ['the slot moved', ({ identity }) => ({ connection: {} as Redis, identity })],
    ['the identity of the server became unknown', () => undefined],
  ])('does not count when meanwhile %s', async (_, become) => {
    const { server, owner, state, isEnded, begun } = follower()
    await begun()
    server.holds = true
    const answer = isEnded('alive')
    await expect.poll(() => server.held.length).toBe(1)
    state.owner = become(owner)
    server.held[0]?.()
    expect(await answer).toBeUndefined()
  })

  it('does not serve the checks that came after its command was sent', async () => {
    const { server, isEnded, begun } = follower()
    await begun()
    const before = server.ranges
    server.holds = true
    const early = isEnded('one')
    await expect.poll(() => server.held.length).toBe(1)
    server.log.push(entry('2-0', endOf('one')))
    const later = Array.from({ length: 5 }, () => isEnded('one'))
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
    expect(server.ranges).toBe(before + 1)
    server.holds = false
    server.held[0]?.()
    expect(await early).toBe(false)
    expect(await Promise.all(later)).toEqual(Array.from({ length: 5 }, () => true))
    expect(server.ranges).toBe(before + 2)
  })

  it('that does not arrive decides nothing and causes no load', async () => {
    const { server, state, isEnded, begun } = follower()
    await begun()
    server.log.push(entry('2-0', endOf('one')))
    server.fails = true
    expect(await isEnded('one')).toBeUndefined()
    server.fails = false
    expect(await isEnded('one')).toBe(true)
    expect(state.polls).toBe(1)
  })

  it('that arrives too late decides nothing, but is stored', async () => {
    const { server, state, isEnded, begun } = follower()
    await begun()
    for (let n = 2; n <= 900; n += 1) server.log.push(entry(`${n}-0`, endOf(`${n}`)))
    state.patient = false
    server.holds = true
    expect(await isEnded('900')).toBeUndefined()
    server.holds = false
    server.held[0]?.()
    await nextTurn()
    state.patient = true
    server.log.splice(0, 899)
    expect(await isEnded('900')).toBe(true)
    expect(state.polls).toBe(1)
  })

  it('of 1,000 entries does not reach the end', async () => {
    const { server, isEnded, begun } = follower()
    await begun()
    for (let n = 2; n < 2_500; n += 1) server.log.push(entry(`${n}-0`, endOf(`${n}`)))
    const before = server.ranges
    expect(await isEnded('2499')).toBeUndefined()
    expect(await isEnded('2499')).toBeUndefined()
    expect(await isEnded('2499')).toBe(true)
    expect(server.ranges).toBe(before + 3)
  })
})

describe('following begins', () => {
  it('at most once a second', async () => {
    const { clock, server, state, isEnded, begun } = follower()
    server.log.length = 0
    for (let time = 0; time < 20; time += 1) expect(await isEnded('one')).toBeUndefined()
    server.log.push(entry('1-0'))
    clock.advance(999)
    for (let time = 0; time < 20; time += 1) expect(await isEnded('one')).toBeUndefined()
    expect(state.polls).toBe(0)
    clock.advance(1)
    await begun()
    expect(state.polls).toBe(1)
  })

  it('again with another server, with a poll after the reply', async () => {
    const { clock, owner, state, isEnded, begun } = follower()
    await begun()
    state.owner = { ...owner, identity: 'second' }
    clock.advance(1_000)
    expect(await isEnded('one')).toBeUndefined()
    await begun()
    expect(state.polls).toBe(2)
  })

  it('not with the entry of a server that turned out to be another', async () => {
    const { clock, server, owner, state, isEnded } = follower()
    server.holds = true
    expect(await isEnded('one')).toBeUndefined()
    await expect.poll(() => server.held.length).toBe(1)
    state.owner = { ...owner, identity: 'second' }
    server.holds = false
    server.held[0]?.()
    await nextTurn()
    expect(state.polls).toBe(0)
    clock.advance(1_000)
    expect(await isEnded('one')).toBeUndefined()
    await expect.poll(() => state.polls).toBe(1)
  })

  it('again after an entry that the token service did not write', async () => {
    const { clock, server, state, isEnded, begun } = follower()
    await begun()
    server.log.push(['2-0', ['t:one', 'yes']])
    expect(await isEnded('one')).toBeUndefined()
    clock.advance(1_000)
    await begun()
    expect(state.polls).toBe(2)
  })
})
