import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An address of the loopback interface that stays the same while what it leads to changes. */
export interface Relay {
  readonly port: number
  /** Cuts every connection; new ones lead to this port, or are refused when it is undefined. */
  lead(port: number | undefined): void
  stop(): void
}

export async function startRelay(): Promise<Relay> {
  let target: number | undefined
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    sockets.add(client)
    client.once('close', () => sockets.delete(client))
    client.on('error', () => client.destroy())
    if (target === undefined) {
      client.destroy()
      return
    }
    const upstream = connect(target, '127.0.0.1')
    upstream.on('error', () => client.destroy())
    client.once('close', () => upstream.destroy())
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lead(port) {
      target = port
      cut()
    },
    stop() {
      server.close()
      cut()
    },
  }
}
