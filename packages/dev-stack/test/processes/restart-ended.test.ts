import { expect, it, onTestFinished } from 'vitest'
import { startReplica } from '../../src/processes/replica.ts'
import { createRestarts } from '../../src/processes/restart-ended.ts'

const PORTS = { http: 1, rpc: 2, transfer: 3, operations: 4, mutualTls: 0 }

/** A replica that is started again, and the pauses before; the pauses take no time. */
async function startRestarted(script: () => string, now: () => number = () => 0) {
  const waits: number[] = []
  const output: string[] = []
  const restarts = createRestarts({
    onOutput: (text) => void output.push(text),
    now,
    wait: async (ms, signal) => {
      waits.push(ms)
      signal.throwIfAborted()
    },
  })
  const replica = await startReplica({
    program: () => ['--eval', script()],
    service: 'token',
    number: 2,
    ports: PORTS,
    env: {},
    onOutput: () => undefined,
    onUnexpectedEnd: (problem, ended) => restarts.again(ended, problem),
  })
  onTestFinished(async () => {
    await restarts.stop()
    await replica.end('SIGKILL')
  })
  return { replica, waits, output, restarts }
}

const LASTS = 'setInterval(() => undefined, 1_000)'

it('starts a replica that was killed again', async () => {
  const { replica, output } = await startRestarted(() => LASTS)
  const first = replica.pid
  process.kill(first, 'SIGKILL')
  await expect.poll(() => replica.isRunning && replica.pid !== first).toBe(true)
  expect(replica.problem).toBeUndefined()
  expect(output).toEqual(['token-2 ended with code null; it starts again in 1 s\n'])
})

it('waits longer each time for one that ends at once, at most 30 seconds', async () => {
  const { waits, restarts } = await startRestarted(() => 'process.exit(1)')
  await expect.poll(() => waits.length, { timeout: 15_000 }).toBeGreaterThan(6)
  await restarts.stop()
  expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
})

it('begins with the short pause when it had run for more than a minute', async () => {
  let elapsed = 0
  const { waits, restarts } = await startRestarted(
    () => 'process.exit(1)',
    () => {
      elapsed += 60_001
      return elapsed
    },
  )
  await expect.poll(() => waits.length, { timeout: 15_000 }).toBeGreaterThan(2)
  await restarts.stop()
  expect(new Set(waits)).toEqual(new Set([1_000]))
})

it('starts nothing after it was stopped', async () => {
  const { replica, waits, restarts } = await startRestarted(() => LASTS)
  await restarts.stop()
  process.kill(replica.pid, 'SIGKILL')
  await expect.poll(() => replica.problem).toBe('token-2 ended with code null')
  expect(waits).toEqual([])
})
