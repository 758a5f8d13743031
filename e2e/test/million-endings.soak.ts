import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EndingsEnvironment, SHARES, startEndingsEnvironment } from './endings-environment.ts'
import { EndingsDriver } from './endings-model.ts'

/** Number that, with the endings of the test itself, stays within the bound of the set, 1,000,000. */
const ENDINGS = 999_900
const READERS = 5
const [SHARE] = SHARES
const [CLIENT] = SHARE.clients
/** Rows of one transaction; the readers poll what commits at once. */
const ROWS_PER_INSERT = 25_000
const DEADLINE_MS = 1_200_000
const CHECKS = 'signet_revocation_checks_total'

let on: EndingsEnvironment
let driver: EndingsDriver
let token: string
beforeAll(async () => {
  on = await startEndingsEnvironment({ readers: READERS, realClock: true })
  driver = new EndingsDriver(on, SHARE)
  token = (await on.system.tokens({ clientId: CLIENT })).access_token
  for (let first = 1; first <= ENDINGS; first += ROWS_PER_INSERT) {
    const last = Math.min(first + ROWS_PER_INSERT - 1, ENDINGS)
    await on.database.transaction(
      (tx) =>
        tx.query({
          name: '',
          text: `INSERT INTO grants.revocation (day, kind, id, value, until)
             SELECT floor(extract(epoch FROM until) / 86400), 'g', 'million-' || n, 1, until
               FROM (SELECT clock_timestamp() + interval '24 hours 60 seconds' AS until) u,
                    generate_series(${first}, ${last}) n`,
          values: [],
        }),
      { kind: 'background' },
    )
  }
}, 600_000)
afterAll(() => on?.stop(), 60_000)

/** The metrics of a reader by name and labels. */
async function metricsOf(index: number): Promise<ReadonlyMap<string, number>> {
  const { operations } = on.system.replica('introspection', index).ports
  const text = await (await fetch(`http://127.0.0.1:${operations}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

/**
 * Reads the CPU time from `proc_pid_stat(5)`, which has it in hundredths of a second; 0 where there is no such file
 * system.
 */
async function cpuSecondsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [, userTicks = '0', systemTicks = '0'] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(text) ?? []
  return (Number(userTicks) + Number(systemTicks)) / 100
}

async function residentBytesOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024
}

/** Whether the reader holds all endings and answered the last check without PostgreSQL. */
async function answersFromSet(index: number): Promise<boolean> {
  try {
    const before = await metricsOf(index)
    if ((await driver.introspect(index, token)) !== true) return false
    const after = await metricsOf(index)
    const rose = (source: string) => {
      const name = `${CHECKS}{source="${source}"}`
      return (after.get(name) ?? 0) > (before.get(name) ?? 0)
    }
    const held = after.get('signet_revocation_set_endings') ?? 0
    return held >= ENDINGS && rose('log') && !rose('database')
  } catch {
    return false
  }
}

/** Prints how long all readers took until they answer from the set, their CPU time meanwhile and their size. */
async function measure(what: string): Promise<void> {
  const from = performance.now()
  const indices = driver.readers()
  const cpuOf = (index: number) => cpuSecondsOf(on.system.replica('introspection', index).pid)
  const cpuBefore = await Promise.all(indices.map(cpuOf))
  const took = await Promise.all(
    indices.map(async (index) => {
      while (!(await answersFromSet(index))) {
        if (performance.now() - from > DEADLINE_MS) throw new Error(`introspection-${index + 1}: ${what}`)
        await pause(100)
      }
      return performance.now() - from
    }),
  )
  const cpu = (await Promise.all(indices.map(cpuOf))).map((seconds, n) => seconds - (cpuBefore[n] ?? 0))
  const sizes = await Promise.all(
    indices.map((index) => residentBytesOf(on.system.replica('introspection', index).pid)),
  )
  const shown = (values: readonly number[], unit: number, digits = 0) =>
    values.map((value) => (value / unit).toFixed(digits)).join(' ')
  process.stdout.write(
    `${what}: ${shown(took, 1_000, 1)} s; CPU ${shown(cpu, 1, 1)} s; resident ${shown(sizes, 2 ** 20)} MiB\n`,
  )
}

const loads = async () =>
  Promise.all(
    driver.readers().map(async (index) => (await metricsOf(index)).get('signet_revocation_loads_total')),
  )

it(`answers from the set of ${ENDINGS} endings after losses of Redis and restarts, without another full load`, async () => {
  await measure('poll of all endings')
  const before = await loads()
  await on.redis().admin.flushall()
  await measure('flush')
  await on.cutReplica()
  await driver.revoke(0, CLIENT, (await on.system.tokens({ clientId: CLIENT })).access_token)
  await on.promoteReplica()
  await measure('fail-over that loses an entry')
  for (const index of [0, 1]) {
    await on.system.replica('token', index).end('SIGTERM')
    await on.system.replica('token', index).start()
  }
  await measure('roll of the token replicas')
  expect(await loads()).toEqual(before)
  for (const index of driver.readers()) {
    await on.system.replica('introspection', index).end('SIGTERM')
    await on.system.replica('introspection', index).start()
  }
  await measure('roll of the readers, each with a load')
}, 7_200_000)
