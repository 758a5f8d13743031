import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the range from which systems take the ports of outgoing connections, which come and go all the time.
const LOWEST = 10_240
const HIGHEST = 32_000
const TRIES = 100

/** A suite chooses dozens before it binds the first: by chance two of them would be the same in every fortieth. */
const given = new Set<number>()

/** A loopback TCP port that was free a moment ago, another one at each call; whoever binds it must be ready to lose the race and ask again. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port was found between ${LOWEST} and ${HIGHEST}`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await new Promise((closed) => server.close(closed))
  return true
}
