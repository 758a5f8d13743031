import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the range from which systems take the ports of outgoing connections, which come and go all the time.
const LOWEST = 10_240
const HIGHEST = 32_000
const TRIES = 100

/**
 * A loopback TCP port that was free when it was chosen, which no other caller of this function gets, in any process,
 * until this one ends. Another program may still take it before it is bound: then call again.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
  throw new Error(`no free port was found between ${LOWEST} and ${HIGHEST}`)
}

/** The UDP port of the same number is what stands for it: one process has it, and loses it only by its end. */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  try {
    await once(socket, 'listening')
  } catch {
    socket.close()
    return false
  }
  return true
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
