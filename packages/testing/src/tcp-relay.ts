import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port of the loopback interface that leads to another one, to nothing, or into silence. */
export interface TcpRelay {
  readonly port: number
  /** Cuts every connection; new ones lead to this port, or are refused when it is undefined. */
  lead(port: number | undefined): void
  /** Drops every byte in both directions from now on; connections stay open and new ones are accepted. */
  silence(): void
  /** Passes bytes on again. Connections from the time of the silence are closed, as their streams have gaps. */
  pass(): void
  stop(): Promise<void>
}

export async function startTcpRelay(targetPort?: number): Promise<TcpRelay> {
  let target = targetPort
  let isSilent = false
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const relay = createServer((client) => {
    client.on('error', () => client.destroy())
    if (target === undefined) return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => from.destroy())
      from.once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isSilent) from.resume()
      else from.pipe(to)
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  return {
    port: (relay.address() as AddressInfo).port,
    lead(port) {
      target = port
      cut()
    },
    silence() {
      isSilent = true
      for (const socket of sockets) socket.unpipe().resume()
    },
    pass() {
      if (isSilent) cut()
      isSilent = false
    },
    async stop() {
      cut()
      relay.close()
      await once(relay, 'close')
    },
  }
}
