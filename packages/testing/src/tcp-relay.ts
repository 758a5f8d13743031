import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP address that passes bytes on to a server, or goes silent in front of it. */
export interface TcpRelay {
  readonly port: number
  /** Drops every byte in both directions from now on; connections stay open and new ones are accepted. */
  silence(): void
  /** Passes bytes on again. Connections from the time of the silence are closed, as their streams have gaps. */
  pass(): void
  /** Sends new connections to another port of the loopback interface and closes those to the last one. */
  retarget(port: number): void
  stop(): Promise<void>
}

/** Starts a relay in front of a port of the loopback interface. */
export async function startTcpRelay(targetPort: number): Promise<TcpRelay> {
  let target = targetPort
  let silent = false
  const sockets = new Set<Socket>()
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const relay = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (!silent) to.write(bytes)
      })
      from.on('error', () => from.destroy())
      from.once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  return {
    port: (relay.address() as AddressInfo).port,
    silence() {
      silent = true
    },
    pass() {
      if (silent) closeAll()
      silent = false
    },
    retarget(port) {
      target = port
      closeAll()
    },
    async stop() {
      closeAll()
      relay.close()
      await once(relay, 'close')
    },
  }
}
