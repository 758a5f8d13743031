import { setImmediate as nextTurn } from 'node:timers/promises'
import { slotOf } from '@signet/redis/primaries'
import { fillKey, shardOf } from '@signet/revocation-reader/mirror-keys'
import { cutReplication, startClusterTopology, startSentinelTopology } from '@signet/testkit/redis-topologies'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { untilItAnswers } from './fixtures/log-world.ts'
import {
  newToken,
  type Publisher,
  type RevocationWorld,
  startRevocationWorld,
  type WatchedReader,
} from './fixtures/revocation-world.ts'

/** A sentinel that was held up for 2 s decides nothing for the next 30: its TILT mode. */
const SOON = { timeout: 45_000 }

let world: RevocationWorld

beforeEach(async () => {
  world = await startRevocationWorld()
})

afterEach(() => world.stop())

/** Asks again and again until `stop`; answers of the mirror alone, of the log alone and of the whole reader. */
function keepAsking(reader: WatchedReader, token: ReturnType<typeof newToken>) {
  const fromMirror = new Set<boolean | undefined>()
  const fromLog = new Set<boolean | undefined>()
  const answers = new Set<boolean>()
  let going = true
  const done = (async () => {
    while (going) {
      fromMirror.add(await reader.askMirror(token))
      fromLog.add(await reader.askLog(token))
      answers.add(await reader.isEnded(token))
      // All may answer without I/O, which would leave no turn for anything else.
      await nextTurn()
    }
  })()
  return {
    fromMirror,
    fromLog,
    answers,
    stop: async () => {
      going = false
      await done
    },
  }
}

async function refilled(publisher: Publisher, reader: WatchedReader, token: ReturnType<typeof newToken>) {
  await expect
    .poll(async () => {
      await publisher.keepWhole().catch(() => undefined)
      return reader.askMirror(token)
    }, SOON)
    .toBe(true)
  await expect.poll(() => reader.askLog(token), SOON).toBe(true)
}

it('Sentinel: a revocation that died with its primary is never missed after the promotion', {
  timeout: 120_000,
}, async () => {
  const topology = await startSentinelTopology()
  try {
    const publisher = await world.publisher(topology.url)
    await publisher.untilWhole()
    const reader = await world.reader(topology.url)
    await expect.poll(() => reader.askMirror(newToken()), SOON).toBe(false)
    const behind = await world.reader(topology.url)
    for (const each of [reader, behind]) await untilItAnswers(each)
    await expect.poll(() => topology.replica.admin.keys('*:fill'), SOON).toHaveLength(16)

    const token = newToken()
    await cutReplication(topology.primary, topology.replica)
    await publisher.revoke(token)
    expect(await reader.askMirror(token)).toBe(true)
    expect(await reader.askLog(token)).toBe(true)
    const asking = keepAsking(reader, token)
    await topology.primary.kill()
    const askingBehind = keepAsking(behind, token)
    topology.replica.thaw()
    await expect.poll(() => topology.replica.admin.info('replication'), SOON).toContain('role:master')
    expect(await topology.replica.admin.keys(`*:t:${token.tokenId}`)).toEqual([])
    // The promoted server is asked and says that it is not the one that was filled.
    await expect.poll(() => reader.redis.get(fillKey(0)).catch(() => null), SOON).not.toBeNull()
    await refilled(publisher, reader, token)
    for (const { stop, fromMirror, fromLog, answers } of [asking, askingBehind]) {
      await stop()
      expect(fromMirror).not.toContain(false)
      expect(fromLog).not.toContain(false)
      expect(answers).toEqual(new Set([true]))
    }
  } finally {
    await topology.drop()
  }
})

it('Cluster: a revocation that died with its primary is never missed after the promotion', {
  timeout: 120_000,
}, async () => {
  const topology = await startClusterTopology()
  try {
    const [victim] = topology.primaries
    const [first, last] = topology.slots[0] ?? [0, 0]
    const onVictim = (shard: number) => slotOf(fillKey(shard)) >= first && slotOf(fillKey(shard)) <= last
    const publisher = await world.publisher(topology.url)
    await publisher.untilWhole()
    const reader = await world.reader(topology.url)
    const [here, elsewhere] = [newToken(onVictim), newToken((shard) => !onVictim(shard))]
    for (const token of [here, elsewhere]) await expect.poll(() => reader.askMirror(token), SOON).toBe(false)
    const behind = await world.reader(topology.url)
    for (const each of [reader, behind]) await untilItAnswers(each)
    const fills = await victim.admin.keys('*:fill')
    await expect.poll(() => topology.replica.admin.keys('*:fill'), SOON).toHaveLength(fills.length)

    await cutReplication(victim, topology.replica)
    await publisher.revoke(here)
    await publisher.revoke(elsewhere)
    expect(await reader.askMirror(here)).toBe(true)
    expect(await reader.askLog(here)).toBe(true)
    const asking = keepAsking(reader, here)
    await victim.kill()
    const askingBehind = keepAsking(behind, here)
    topology.replica.thaw()
    await expect.poll(() => topology.replica.admin.info('replication'), SOON).toContain('role:master')
    expect(await topology.replica.admin.keys(`*:t:${here.tokenId}`)).toEqual([])
    await expect
      .poll(() => reader.redis.get(fillKey(shardOf(here.subject))).catch(() => null), SOON)
      .not.toBeNull()
    await refilled(publisher, reader, here)
    for (const { stop, fromMirror, fromLog, answers } of [asking, askingBehind]) {
      await stop()
      expect(fromMirror).not.toContain(false)
      expect(fromLog).not.toContain(false)
      expect(answers).toEqual(new Set([true]))
    }
    await expect.poll(() => reader.askMirror(elsewhere), SOON).toBe(true)
  } finally {
    await topology.drop()
  }
})

it('Cluster: a shard on the move is asked of nobody, and of its new owner only after a refill', {
  timeout: 120_000,
}, async () => {
  const topology = await startClusterTopology()
  try {
    const [from, to] = topology.primaries
    const publisher = await world.publisher(topology.url)
    await publisher.untilWhole()
    const reader = await world.reader(topology.url)
    const [first, last] = topology.slots[0] ?? [0, 0]
    const token = newToken((shard) => slotOf(fillKey(shard)) >= first && slotOf(fillKey(shard)) <= last)
    await expect.poll(() => reader.askMirror(token), SOON).toBe(false)
    const slot = slotOf(fillKey(shardOf(token.subject)))
    const [source, target] = [
      String(await from.admin.call('CLUSTER', 'MYID')),
      String(await to.admin.call('CLUSTER', 'MYID')),
    ]
    await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source)
    await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target)
    await publisher.revoke(token)
    expect(await reader.askMirror(token)).toBeUndefined()
    expect(await reader.isEnded(token)).toBe(true)
    const keys: unknown = await from.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)
    for (const key of Array.isArray(keys) ? keys.map(String) : []) {
      await from.admin.call('MIGRATE', '127.0.0.1', to.port, key, 0, 5_000)
    }
    for (const { admin } of [to, from]) await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', target)
    expect(await to.admin.get(fillKey(shardOf(token.subject)))).not.toBeNull()
    expect(await reader.askMirror(token)).toBeUndefined()
    expect(await reader.isEnded(token)).toBe(true)
    await refilled(publisher, reader, token)
  } finally {
    await topology.drop()
  }
})
