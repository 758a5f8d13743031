import { LOG_KEY } from '@signet/revocation-reader/mirror-keys'
import { silentLogger } from '@signet/service-runtime/logger'
import { size } from '@signet/testkit/sizes'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepMirrorWhole } from '../src/revocation/keep-mirror-whole.ts'
import { createWithdrawnMirrorStore } from '../src/stores/withdrawn-mirror-store.ts'
import { askedUntilItAnswers, endAll, endOf, followedLog, untilItAnswers } from './fixtures/log-world.ts'
import { type MirrorWorld, SOON, startMirrorWorld } from './fixtures/mirror-world.ts'
import { newToken } from './fixtures/revocation-world.ts'

let world: MirrorWorld
beforeEach(async () => {
  world = await startMirrorWorld()
})
afterEach(() => world.stop())

/** Of each publisher. */
const CALLS_AT_ONCE = 4

it('what was revoked before the call is ended for every reader of the log, and nothing else is, whoever revokes and asks meanwhile', {
  timeout: 600_000,
}, async () => {
  const { publisher, reader } = await followedLog(world)
  const readers = [reader, ...(await Promise.all([1, 2].map(() => world.reader(world.redis.url))))]
  for (const each of readers) await untilItAnswers(each)
  const publishers = [publisher, await world.publisher(world.redis.url)]
  const lanes = publishers.flatMap((each) => Array.from({ length: CALLS_AT_ONCE }, () => each))
  const alive = newToken()
  const [ofEnded, ofAlive] = [new Set<boolean | undefined>(), new Set<boolean | undefined>()]
  await Promise.all(
    lanes.map(async ({ revoke }) => {
      for (let round = 0; round < size('revocations') / CALLS_AT_ONCE; round += 1) {
        const token = newToken()
        // Round trips that began before the revocation, which must not answer for it.
        const early = readers.map((each) => each.askLog(token))
        await revoke(token)
        for (const answer of await Promise.all(readers.map((each) => each.askLog(token)))) ofEnded.add(answer)
        for (const answer of await Promise.all(readers.map((each) => each.askLog(alive)))) ofAlive.add(answer)
        await Promise.all(early)
      }
    }),
  )
  expect(ofEnded).not.toContain(false)
  expect(ofEnded).toContain(true)
  expect(ofAlive).not.toContain(true)
  expect(ofAlive).toContain(false)
})

it('what is asked at once is one XRANGE, and everybody gets the answer about its own', async () => {
  const { publisher, reader } = await followedLog(world)
  const tokens = Array.from({ length: 40 }, () => newToken())
  const ended = tokens.filter((_, n) => n % 3 === 0)
  for (const token of ended) await publisher.revoke(token)
  // It reads the log by itself too, once a second.
  await reader.stop()
  const before = await callsOf('xrange')
  const answers = await Promise.all(tokens.map((token) => reader.askLog(token)))
  expect(answers).toEqual(tokens.map((token) => ended.includes(token)))
  expect(await callsOf('xrange')).toBe(before + 1)
})

it('a reader that starts after revocations were made knows them as soon as the log answers it', async () => {
  const { publisher } = await followedLog(world)
  const [ended, alive] = [newToken(), newToken()]
  await publisher.revoke(ended)
  const late = await world.reader(world.redis.url)
  const answers = await askedUntilItAnswers(late, ended)
  expect(answers).not.toContain(false)
  expect(await late.askLog(ended)).toBe(true)
  expect(await late.askLog(alive)).toBe(false)
})

it.each([1_001, 10_500])(
  '%i revocations while a reader did not ask: it never takes one of them for alive, and answers again',
  async (count) => {
    const { publisher, reader } = await followedLog(world)
    const ended = Array.from({ length: count }, () => newToken())
    await endAll(world, publisher, ended.map(endOf))
    const asked = async () => new Set(await Promise.all(ended.map((token) => reader.askLog(token))))
    expect(await asked()).not.toContain(false)
    await untilItAnswers(reader)
    expect(await asked()).toEqual(new Set([true]))
    // Some 100 above the bound stay, since Redis gives up whole nodes.
    expect(await world.redis.admin.xlen(LOG_KEY)).toBeLessThan(10_200)
  },
)

it('a log that begins behind what a reader knows does not answer for what it dropped', async () => {
  const { publisher, reader } = await followedLog(world)
  const ended = [newToken(), newToken(), newToken()]
  for (const token of ended) await publisher.revoke(token)
  await world.redis.admin.xtrim(LOG_KEY, 'MAXLEN', 1)
  for (const token of ended) {
    expect(await askedUntilItAnswers(reader, token)).not.toContain(false)
    expect(await reader.askLog(token)).toBe(true)
  }
  expect(await reader.askLog(newToken())).toBe(false)
})

it('epochs: what was made under a lower one is ended, what was made under the same is not, and they never fall', async () => {
  const { publisher, reader } = await followedLog(world)
  const made = (epoch: number) => [
    { ...newToken(), user: { id: 'alice', epoch } },
    { ...newToken(), client: { id: 'web', epoch } },
    {
      ...newToken(),
      organizations: [
        { id: 'other', epoch: 0 },
        { id: 'acme', epoch },
      ],
    },
  ]
  const ends = (value: number) => [
    { kind: 'u' as const, id: 'alice', value, subject: newToken().subject },
    { kind: 'c' as const, id: 'web', value },
    { kind: 'o' as const, id: 'acme', value },
  ]
  const asked = (epoch: number) => Promise.all(made(epoch).map((token) => reader.askLog(token)))
  const all = (answer: boolean) => [answer, answer, answer]
  expect(await asked(0)).toEqual(all(false))
  for (const epoch of [1, 2, 5]) {
    await endAll(world, publisher, ends(epoch))
    expect(await asked(epoch - 1), `below ${epoch}`).toEqual(all(true))
    expect(await asked(epoch), `${epoch}`).toEqual(all(false))
  }
  // As a replica that is late with what it published.
  await publisher.store.write(ends(3))
  expect(await asked(4)).toEqual(all(true))
  expect(await asked(5)).toEqual(all(false))
})

it('a revocation that the log does not take is 503, and in force once the log is there again', async () => {
  const { publisher, reader } = await followedLog(world)
  const token = newToken()
  await world.redis.admin.set(LOG_KEY, 'of another type')
  await expect(publisher.revoke(token)).rejects.toMatchObject({ status: 503 })
  expect(await reader.askLog(token)).toBeUndefined()
  await world.redis.admin.del(LOG_KEY)
  await publisher.revoke(token)
  await publisher.keepWhole()
  expect(await askedUntilItAnswers(reader, token)).not.toContain(false)
  expect(await reader.askLog(token)).toBe(true)
})

it('SIGNET_REVOCATION_MIRROR=off takes the log away, and no reader begins with one that a late replica makes', async () => {
  const { publisher, reader } = await followedLog(world)
  const withdrawn = createWithdrawnMirrorStore(publisher.redis)
  await keepMirrorWhole({ revocations: world.revocations, mirror: withdrawn, logger: silentLogger })
  const token = newToken()
  const recorded = await world.database.transaction((tx) =>
    world.revocations.record(tx, [endOf(token)], new Date()),
  )
  await withdrawn.write(recorded)
  expect(await reader.askLog(token)).toBeUndefined()
  await publisher.revoke(newToken())
  await reader.stop()
  const attempts = () => callsOf('xrevrange')
  const before = await attempts()
  const answers = new Set<boolean | undefined>()
  // The second shows that the first came to nothing.
  await expect
    .poll(async () => {
      answers.add(await reader.askLog(newToken()))
      return attempts()
    }, SOON)
    .toBe(before + 2)
  expect(answers).toEqual(new Set([undefined]))
})

/** How often Redis was sent a command. */
async function callsOf(command: string): Promise<number> {
  const statistics = await world.redis.admin.info('commandstats')
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(statistics)?.[1] ?? 0)
}
