import { setImmediate as nextTurn } from 'node:timers/promises'
import { slotOf } from '@signet/platform/redis/connection'
import { LOG_KEY } from '@signet/revocation-reader/endings'
import type { RedisProcess } from '@signet/testing/redis-process'
import { cutReplication, startClusterTopology, startSentinelTopology } from '@signet/testing/redis-topologies'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  endOf,
  newToken,
  type ReaderEnvironment,
  startReaderEnvironment,
  untilLogAnswers,
  type WatchedReader,
} from './fixtures/reader-environment.ts'

/** A sentinel that was held up for 2 s decides nothing for the next 30: its TILT mode. */
const SOON = { timeout: 45_000 }

let environment: ReaderEnvironment
beforeEach(async () => {
  environment = await startReaderEnvironment()
})
afterEach(() => environment.stop())

/** Asks until `stop`, and collects the answers of the log alone and of the whole reader. */
function keepAsking(reader: WatchedReader, token: ReturnType<typeof newToken>) {
  const answers = new Set<boolean | undefined>()
  let going = true
  const done = (async () => {
    while (going) {
      answers.add(await reader.askLog(token))
      answers.add(await reader.isEnded(token))
      // Both may answer without I/O.
      await nextTurn()
    }
  })()
  return {
    answers,
    stop: async () => {
      going = false
      await done
    },
  }
}

async function promotionHidesNothing(
  url: RedisProcess['url'],
  primary: RedisProcess,
  replica: RedisProcess,
): Promise<void> {
  const writer = await environment.writer(url)
  await writer.openLog()
  const readers = [await environment.reader({}, url), await environment.reader({}, url)]
  for (const each of readers) await untilLogAnswers(each)
  await expect.poll(() => replica.admin.exists(LOG_KEY).catch(() => 1), SOON).toBe(1)
  const token = newToken()
  await cutReplication(primary, replica)
  await writer.end([endOf(token)])
  const asking = readers.map((each) => keepAsking(each, token))
  await primary.kill()
  replica.thaw()
  await expect.poll(() => replica.admin.info('replication'), SOON).toContain('role:master')
  for (const each of readers) await expect.poll(() => each.askLog(token), SOON).toBe(true)
  for (const { stop, answers } of asking) {
    await stop()
    expect(answers).not.toContain(false)
  }
  for (const each of readers) expect(await each.askLog(newToken())).toBe(false)
}

it('Sentinel: an ending that was lost with its primary is not missed after the promotion', {
  timeout: 120_000,
}, async () => {
  const topology = await startSentinelTopology()
  try {
    await promotionHidesNothing(topology.url, topology.primary, topology.replica)
  } finally {
    await topology.drop()
  }
})

/** The primary that owns the slot of the log first. */
function ownersOf({ primaries, slots }: Awaited<ReturnType<typeof startClusterTopology>>) {
  const slot = slotOf(LOG_KEY)
  const at = slots.findIndex(([first, last]) => slot >= first && slot <= last)
  const owner = primaries[at]
  if (owner === undefined) throw new Error('no primary owns the slot of the log')
  return { owner, other: primaries[at === 0 ? 1 : 0] as RedisProcess, slot }
}

it('Cluster: a migrating log is not used, and its new owner is used without a load', {
  timeout: 120_000,
}, async () => {
  const topology = await startClusterTopology()
  try {
    const { owner: from, other: to, slot } = ownersOf(topology)
    const writer = await environment.writer(topology.url)
    await writer.openLog()
    const reader = await environment.reader({}, topology.url)
    await untilLogAnswers(reader)
    const [source, target] = [
      String(await from.admin.call('CLUSTER', 'MYID')),
      String(await to.admin.call('CLUSTER', 'MYID')),
    ]
    const token = newToken()
    await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source)
    await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target)
    const asking = keepAsking(reader, token)
    await from.admin.call('MIGRATE', '127.0.0.1', to.port, LOG_KEY, 0, 5_000)
    expect(await reader.askLog(newToken())).toBeUndefined()
    for (const { admin } of [to, from]) await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', target)
    await asking.stop()
    expect(asking.answers).not.toContain(true)
    await writer.end([endOf(token)])
    await expect.poll(() => reader.askLog(token), SOON).toBe(true)
    expect(await reader.isEnded(token)).toBe(true)
    expect(await reader.askLog(newToken())).toBe(false)
    expect(reader.statements('revocation.load')).toBe(1)
  } finally {
    await topology.drop()
  }
})

it('Cluster: an ending that was lost with its primary is not missed after the promotion', {
  timeout: 120_000,
}, async () => {
  const topology = await startClusterTopology()
  try {
    const { owner } = ownersOf(topology)
    const [replicated] = topology.primaries
    if (owner !== replicated) await moveLogTo(topology)
    await promotionHidesNothing(topology.url, replicated, topology.replica)
  } finally {
    await topology.drop()
  }
})

/** Moves the empty slot of the log to the primary that has a replica. */
async function moveLogTo(topology: Awaited<ReturnType<typeof startClusterTopology>>): Promise<void> {
  const { owner, slot } = ownersOf(topology)
  const [target] = topology.primaries
  const id = String(await target.admin.call('CLUSTER', 'MYID'))
  const source = String(await owner.admin.call('CLUSTER', 'MYID'))
  await target.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source)
  await owner.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', id)
  for (const { admin } of [target, owner]) await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', id)
}
