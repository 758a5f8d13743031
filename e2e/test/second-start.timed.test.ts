import { FROM_SOURCES } from '@signet/dev-stack/processes/child'
import { createDataDirectory } from '@signet/testing/system/installation'
import { startSystem } from '@signet/testing/system/start-system'
import { expect, it } from 'vitest'

const READY_MS = 5_000
const MOST_STARTS = 3

it('the second start of an installation is ready in under 5 seconds', { timeout: 90_000 }, async () => {
  const data = await createDataDirectory()
  // As `npm start` runs them.
  const start = () => startSystem({ mode: 'standalone', data, program: FROM_SOURCES })
  let system = await start()
  try {
    const times: number[] = []
    // Something else may use the machine for a moment.
    while (times.length < MOST_STARTS && !times.some((ms) => ms < READY_MS)) {
      expect(await system.stop()).toBe(0)
      system = await start()
      times.push(Math.round(system.startedInMs))
    }
    process.stdout.write(`second start to ready: ${times.join(' ms, ')} ms\n`)
    expect(Math.min(...times)).toBeLessThan(READY_MS)
  } finally {
    await system.stop()
    await data.remove()
  }
})
