import { setTimeout as pause } from 'node:timers/promises'
import type { Replica } from '@signet/dev-stack/processes/replica'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { residentBytesOf } from '../measure/process-usage.ts'
import { spreadOf } from '../measure/spread.ts'
import { productionEnvironment, standaloneEnvironment } from '../stage/production-environment.ts'
import { startSignet } from '../stage/signet.ts'
import { openStandalone } from '../stage/standalone.ts'
import { temporaryFolder } from '../stage/temporary-folder.ts'
import type { Figure, FigureRow } from './row.ts'

const MEBIBYTE = 1_048_576
const POLL_MS = 5
const IDLE_MS = 5_000

interface Start {
  readonly readyMs: number
  readonly bytes: number
}

/** Time from the start of a process until it says it is ready, with the databases running and migrated. */
export const startUp: FigureRow = {
  kind: 'figures',
  name: 'start-up',
  title: 'start of a process, and its memory when it is ready',
  async measure({ starts }) {
    await using opened = new AsyncDisposableStack()
    const signet = await startSignet(await temporaryFolder(opened), productionEnvironment())
    opened.defer(() => signet.stop())
    const figures: Figure[] = []
    for (const service of SERVICE_NAMES) {
      const replica = signet.replica(service)
      const seen = await repeated(starts, () => restart(replica))
      figures.push(...figuresOf(service, seen, { seconds: 1, mebibytes: 120 }))
    }
    return [...figures, ...(await standaloneFigures(starts))]
  },
}

async function standaloneFigures(starts: number): Promise<readonly Figure[]> {
  await using opened = new AsyncDisposableStack()
  const standalone = await openStandalone(await temporaryFolder(opened), standaloneEnvironment())
  opened.defer(() => standalone.stop())
  // The first start makes roles, tables and keys.
  await standalone.start()
  const seen = await repeated(starts, async () => {
    await standalone.end()
    const { pid, readyMs } = await standalone.start()
    return { readyMs, bytes: residentBytesOf([pid]) }
  })
  return figuresOf('standalone', seen, { seconds: 4 })
}

async function repeated<T>(times: number, work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = []
  while (results.length < times) results.push(await work())
  return results
}

async function restart(replica: Replica): Promise<Start> {
  await replica.end('SIGTERM')
  const startedAt = performance.now()
  await replica.start()
  const readiness = `http://127.0.0.1:${replica.ports.operations}/readyz`
  while (!(await isReady(readiness))) await pause(POLL_MS)
  return { readyMs: performance.now() - startedAt, bytes: residentBytesOf([replica.pid]) }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    // The port is not open yet.
    return false
  }
}

function figuresOf(
  name: string,
  seen: readonly Start[],
  budget: { readonly seconds: number; readonly mebibytes?: number },
): readonly Figure[] {
  const seconds = spreadOf(seen.map(({ readyMs }) => readyMs / 1000))
  const mebibytes = spreadOf(seen.map(({ bytes }) => bytes / MEBIBYTE))
  return [
    {
      name: `${name}: ready after`,
      value: seconds.median,
      unit: 's',
      budget: { atMost: budget.seconds },
      note: `${seconds.least.toFixed(2)} to ${seconds.most.toFixed(2)}`,
    },
    {
      name: `${name}: resident`,
      value: mebibytes.median,
      unit: 'MiB',
      ...(budget.mebibytes !== undefined && { budget: { atMost: budget.mebibytes } }),
    },
  ]
}

/** The memory of each process after some time without requests. */
export const idleMemory: FigureRow = {
  kind: 'figures',
  name: 'idle-memory',
  title: 'memory of processes that have nothing to do',
  async measure() {
    await using opened = new AsyncDisposableStack()
    const signet = await startSignet(await temporaryFolder(opened), productionEnvironment())
    opened.defer(() => signet.stop())
    await pause(IDLE_MS)
    return SERVICE_NAMES.map((service) => ({
      name: service,
      value: residentBytesOf([signet.replica(service).pid]) / MEBIBYTE,
      unit: 'MiB',
    }))
  },
}
