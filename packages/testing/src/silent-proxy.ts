import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Secret } from '@signet/platform/config/settings-fields'

/** A TCP proxy before a server, some of whose connections lead to a host that is gone. */
export interface SilentProxy {
  /** The same address through the proxy. */
  through(url: Secret): Secret
  /** Swallows all data of the connections that are open now, and leaves them open; later ones pass. Returns their number. */
  silence(): number
  /** Whether later connections are accepted and swallowed too. */
  silenceNew(isSilent: boolean): void
  /** How many connections it has got so far. */
  connections(): number
  stop(): Promise<void>
}

/** Starts a proxy before the server of `url`. */
export async function startSilentProxy(url: Secret): Promise<SilentProxy> {
  const { hostname, port } = new URL(url.reveal())
  const passing = new Map<Socket, Socket>()
  const all = new Set<Socket>()
  let isSilent = false
  let count = 0
  const server = createServer((client) => {
    count += 1
    all.add(client)
    client.on('error', () => undefined)
    client.on('close', () => all.delete(client))
    if (isSilent) return void client.resume()
    const upstream = connect(Number(port), hostname)
    passing.set(client, upstream)
    client.pipe(upstream)
    upstream.pipe(client)
    upstream.on('error', () => client.destroy())
    upstream.on('close', () => passing.has(client) && client.destroy())
    client.on('close', () => {
      passing.delete(client)
      upstream.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    through(given) {
      const address = new URL(given.reveal())
      address.hostname = '127.0.0.1'
      address.port = String((server.address() as AddressInfo).port)
      return new Secret(address.href)
    },
    silence() {
      const silenced = [...passing]
      passing.clear()
      for (const pair of silenced) for (const socket of pair) socket.unpipe().resume()
      return silenced.length
    },
    silenceNew(next) {
      isSilent = next
    },
    connections: () => count,
    async stop() {
      for (const client of all) client.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
