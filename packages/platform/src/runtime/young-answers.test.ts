import { Agent, get } from 'node:http'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { listenHttp } from '../process/http-listener.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void
setFlagsFromString('--no-expose-gc')

const AT_ONCE = 16
const ROUNDS = 100
/** The size of a response, so that kept responses show in the heap. */
const HELD_BYTES = 4_096

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0
}

it('the young generation frees a finished response, however long the service has run', async () => {
  const held = Symbol('held')
  const { port, close } = await listenHttp({
    listener: (_req, res) => {
      Object.assign(res, { [held]: Array.from({ length: HELD_BYTES / 8 }, () => 0.5) })
      setImmediate(() => res.end())
    },
    port: 0,
    host: '127.0.0.1',
  })
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent }, (res) => res.resume().once('end', resolve)).once(
        'error',
        reject,
      )
    })
  async function rounds(): Promise<number> {
    const before = oldBytes()
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(Array.from({ length: AT_ONCE }, ask))
      if (round % 10 === 0) collect({ type: 'minor' })
    }
    return oldBytes() - before
  }
  await rounds()
  // Objects of an idle service grow old; later ones must not grow old with them.
  await ask()
  for (let time = 0; time < 2; time += 1) collect({ type: 'minor' })
  expect(await rounds()).toBeLessThan((ROUNDS * AT_ONCE * HELD_BYTES) / 10)
  agent.destroy()
  await close(0)
})
