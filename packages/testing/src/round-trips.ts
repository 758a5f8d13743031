import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Secret } from '@signet/platform/config/settings-fields'

/** Milliseconds in which all bytes arrive that the client sends in one turn of its event loop. */
const QUIET_MS = 20

export interface RoundTripCounter {
  /** The address of the server, through the counter. */
  readonly url: Secret
  /** Runs `work` and returns how many times a client waited for the server. */
  of(work: () => Promise<unknown>): Promise<number>
  stop(): Promise<void>
}

/**
 * Starts a relay to a server that passes responses on only when the client has sent nothing for a while. So all that a client
 * sends without waiting for a response is one round trip, however fast the server responds.
 */
export async function startRoundTripCounter(url: Secret): Promise<RoundTripCounter> {
  let trips = 0
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const { hostname, port } = new URL(url.reveal())
    const upstream = connect(Number(port), hostname)
    const held: Buffer[] = []
    let lastSentAt = 0
    let isWaiting = false
    const pass = () => {
      if (held.length === 0 || performance.now() - lastSentAt < QUIET_MS) return
      isWaiting = false
      for (const part of held.splice(0)) client.write(part)
    }
    const timer = setInterval(pass, QUIET_MS / 4)
    client.on('data', (part) => {
      if (!isWaiting) trips += 1
      isWaiting = true
      lastSentAt = performance.now()
      upstream.write(part)
    })
    upstream.on('data', (part) => held.push(part))
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        open.delete(socket)
        clearInterval(timer)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = new URL(url.reveal())
  through.hostname = '127.0.0.1'
  through.port = `${(server.address() as AddressInfo).port}`
  return {
    url: new Secret(through.href),
    async of(work) {
      const before = trips
      await work()
      return trips - before
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
