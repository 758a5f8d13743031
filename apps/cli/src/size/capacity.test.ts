import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type Capacity, capacityFor, chartValues, demandOf, SIZES } from './capacity.ts'

const repository = new URL('../../../../', import.meta.url)
const NAMES = Object.keys(SIZES) as (keyof typeof SIZES)[]

it.each(NAMES)('the chart has the values of size %s', async (name) => {
  const title = `# Size ${name} of docs/scaling.md: ${SIZES[name].people} people, ${SIZES[name].signInsPerSecond} sign-ins a second.`
  const text = `${title}\n${stringify(chartValues(capacityFor(SIZES[name])))}`
  const file = `deploy/helm/signet/sizes/${name.toLowerCase()}-values.yaml`
  await expect(text).toMatchFileSnapshot(new URL(file, repository).pathname)
})

const podsOf = ({ pods }: Capacity, name: string) => {
  const found = pods.find(({ component }) => component === name)
  return found && `${found.minReplicas} to ${found.maxReplicas} × ${found.requestMillicores}m`
}

it('docs/scaling.md has the table of the sizes', async () => {
  const capacities = NAMES.map((name) => capacityFor(SIZES[name]))
  const row = (title: string, show: (capacity: Capacity) => unknown) =>
    `| ${[title, ...capacities.map((capacity) => show(capacity))].join(' | ')} |`
  const table = [
    `| | ${NAMES.map((name) => `${name}: ${SIZES[name].people.toLocaleString('en')} people, ${SIZES[name].signInsPerSecond} sign-ins/s`).join(' | ')} |`,
    '|---|---|---|---|',
    ...['login', 'token', 'introspection', 'directory'].map((name) =>
      row(`\`${name}\`: pods × CPU request`, (capacity) => podsOf(capacity, name)),
    ),
    row('PostgreSQL: GB', ({ postgresGigabytes }) => postgresGigabytes.toLocaleString('en')),
    row('PostgreSQL: cores', ({ postgresCores }) => postgresCores),
    row('connections, all pods at their most', ({ connections }) => connections.toLocaleString('en')),
    row('Redis: MB', ({ redisMegabytes }) => redisMegabytes.toLocaleString('en')),
    row('Redis: share of its thread', ({ redisShare }) => redisShare),
  ].join('\n')
  expect(await readFile(new URL('docs/scaling.md', repository), 'utf8')).toContain(table)
})

it('grows with each number of the demand and never goes below two pods', () => {
  const [least] = [capacityFor(demandOf(0, 0))]
  expect(least.pods.map(({ minReplicas }) => minReplicas)).toEqual([2, 2, 2, 2])
  expect(least.postgresGigabytes).toBe(0)
  const base = capacityFor(SIZES.M)
  const more = (change: Partial<typeof SIZES.M>) => capacityFor({ ...SIZES.M, ...change })
  expect(more({ people: 200_000_000 }).postgresGigabytes).toBeGreaterThan(base.postgresGigabytes)
  expect(more({ endingsPerDay: 10_000_000 }).redisMegabytes).toBeGreaterThan(base.redisMegabytes)
  const coresOf = ({ pods }: Capacity) => Object.fromEntries(pods.map((one) => [one.component, one.cores]))
  const before = coresOf(base)
  const introspections = coresOf(more({ introspectionsPerSecond: 100_000 }))
  expect(introspections.introspection).toBeGreaterThan(before.introspection ?? 0)
  expect(introspections.login).toBe(before.login)
  expect(coresOf(more({ refreshesPerSecond: 100_000 })).token).toBeGreaterThan(before.token ?? 0)
  expect(coresOf(more({ clientTokensPerSecond: 100_000 })).token).toBeGreaterThan(before.token ?? 0)
})

it('warns where a number goes beyond what was measured', () => {
  expect(capacityFor(SIZES.S).warnings).toEqual([expect.stringContaining('use PgBouncer')])
  expect(capacityFor(SIZES.S).redisShare).toBeLessThan(0.01)
  expect(capacityFor({ ...SIZES.L, endingsPerDay: 2_000_000 }).warnings.join('\n')).toMatch(
    /Redis is one thread.*\n.*use PgBouncer in transaction mode\n.*raise redis.revocationEndingsMax/,
  )
})
