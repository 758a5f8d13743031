import { freePort } from '@signet/dev-stack/databases/free-port'
import { Secret } from '@signet/platform/config/settings-fields'
import { vi } from 'vitest'
import { type RedisProcess, startRedisProcess, startSentinelProcess } from './redis-process.ts'

const until = (holds: () => Promise<boolean>) => vi.waitUntil(holds, { timeout: 20_000, interval: 20 })
const SLOTS = [
  [0, 5460],
  [5461, 10_922],
  [10_923, 16_383],
] as const

/** Starts a primary, its replica and a sentinel that fails over within a second or two. */
export async function startSentinelTopology() {
  const primary = await startRedisProcess()
  const replica = await startRedisProcess(['--replicaof', `127.0.0.1 ${primary.port}`])
  await until(async () => (await replica.admin.info('replication')).includes('master_link_status:up'))
  const sentinel = await startSentinelProcess([
    `sentinel monitor signet 127.0.0.1 ${primary.port} 1`,
    'sentinel down-after-milliseconds signet 300',
    'sentinel failover-timeout signet 2000',
  ])
  await until(async () => {
    const replicas: unknown = await sentinel.admin.call('SENTINEL', 'REPLICAS', 'signet')
    return Array.isArray(replicas) && replicas.length === 1
  })
  return {
    url: new Secret(`redis+sentinel://127.0.0.1:${sentinel.port}/signet`),
    primary,
    replica,
    drop: async () => {
      await Promise.all([sentinel, primary, replica].map((server) => server.drop()))
    },
  }
}

/** Starts three primaries, the first of which has a replica. */
export async function startClusterTopology() {
  const nodes = await Promise.all([startNode(), startNode(), startNode(), startNode()])
  const [first, second, third, replica] = nodes.map(({ server }) => server) as FourServers
  const primaries = [first, second, third] as const
  await Promise.all(
    primaries.map((primary, index) =>
      primary.admin.call('CLUSTER', 'ADDSLOTSRANGE', ...(SLOTS[index] ?? [])),
    ),
  )
  for (const { server, busPort } of nodes.slice(1)) {
    await first.admin.call('CLUSTER', 'MEET', '127.0.0.1', server.port, busPort)
  }
  const firstId = String(await first.admin.call('CLUSTER', 'MYID'))
  await until(async () => String(await replica.admin.call('CLUSTER', 'NODES')).includes(firstId))
  await replica.admin.call('CLUSTER', 'REPLICATE', firstId)
  for (const server of [...primaries, replica]) {
    await until(async () => {
      const info = String(await server.admin.call('CLUSTER', 'INFO'))
      return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:4')
    })
  }
  await until(async () => {
    const known = String(await first.admin.call('CLUSTER', 'NODES'))
    return (
      known.includes(`slave ${firstId}`) &&
      (await replica.admin.info('replication')).includes('link_status:up')
    )
  })
  return {
    url: new Secret(`redis+cluster://127.0.0.1:${first.port},127.0.0.1:${second.port}`),
    primaries,
    /** Replica of the first primary. */
    replica,
    /** First and last slot of each primary. */
    slots: SLOTS,
    drop: async () => {
      await Promise.all([...primaries, replica].map((server) => server.drop()))
    },
  }
}

type FourServers = [RedisProcess, RedisProcess, RedisProcess, RedisProcess]

async function startNode() {
  // The one that Redis would choose lies where systems take the ports of outgoing connections from.
  const busPort = await freePort()
  const cluster = [
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    '500',
    '--cluster-port',
    `${busPort}`,
  ]
  return { server: await startRedisProcess(cluster), busPort }
}

/** Cuts the replica off, so that what the primary takes from now on never reaches it; the primary must die next. */
export async function cutReplication(primary: RedisProcess, replica: RedisProcess): Promise<void> {
  replica.freeze()
  // Otherwise the stream would wait in the socket of the frozen process.
  await primary.admin.call('CLIENT', 'KILL', 'TYPE', 'replica')
}
