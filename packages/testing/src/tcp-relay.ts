import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Secret } from '@signet/platform/config/settings-fields'

/** An address of the loopback interface that leads to a server, to nothing, or into silence. */
export interface TcpRelay {
  /** The same address through the relay. */
  through(url: Secret): Secret
  /** Cuts every connection; new ones lead to the server at this address, or are refused when it is undefined. */
  lead(url: Secret | undefined): void
  /**
   * Drops all data of the connections that are open now, as to a host that is gone: they stay open even when the server
   * closes its end. Returns their number. Later connections pass.
   */
  silence(): number
  /** The same, for later connections too. */
  silenceAll(): void
  /** Passes bytes on again. Connections from the time of the silence are closed, as their streams have gaps. */
  pass(): void
  /** How many connections it has got so far, without those that it refused. */
  connections(): number
  stop(): Promise<void>
}

/** Starts a relay to the server at this address, whose path and user are not looked at. */
export async function startTcpRelay(url?: Secret): Promise<TcpRelay> {
  let target = url
  let isSilent = false
  let accepted = 0
  const open = new Set<Socket>()
  const passing = new Map<Socket, Socket>()
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const silence = () => {
    const silenced = [...passing]
    passing.clear()
    for (const pair of silenced) for (const socket of pair) socket.unpipe().resume()
    return silenced.length
  }
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    if (target === undefined) return void client.destroy()
    accepted += 1
    const { hostname, port } = new URL(target.reveal())
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    }
    upstream.on('error', () => upstream.destroy())
    upstream.once('close', () => passing.has(client) && client.destroy())
    client.once('close', () => {
      passing.delete(client)
      upstream.destroy()
    })
    passing.set(client, upstream)
    client.pipe(upstream)
    upstream.pipe(client)
    if (isSilent) silence()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    through(given) {
      const address = new URL(given.reveal())
      address.hostname = '127.0.0.1'
      address.port = `${port}`
      return new Secret(address.href)
    },
    lead(next) {
      target = next
      cut()
    },
    silence,
    silenceAll() {
      isSilent = true
      silence()
    },
    pass() {
      if (isSilent) cut()
      isSilent = false
    },
    connections: () => accepted,
    async stop() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
