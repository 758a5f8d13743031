import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type EmbeddedPostgres, startPostgres } from '@signet/embedded-databases/postgres'
import { Secret } from '@signet/service-runtime/secret'
import { createDataDirectory } from './data-directory.ts'

/** A real PostgreSQL behind an address that stays the same when the server is stopped and started again. */
export interface RestartablePostgres {
  readonly url: Secret
  /** Stops the server and cuts every connection; who connects meanwhile is refused. */
  halt(): Promise<void>
  /** Starts it again on the same data. */
  resume(): Promise<void>
  /** Both, one after the other. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const data = await createDataDirectory()
  let server: EmbeddedPostgres | undefined = await startPostgres({ dataDirectory: data.path })
  const sockets = new Set<Socket>()
  const relay = createServer((client) => {
    sockets.add(client)
    client.once('close', () => sockets.delete(client))
    client.on('error', () => client.destroy())
    if (server === undefined) {
      client.destroy()
      return
    }
    const upstream = connect(Number(new URL(server.url.reveal()).port), '127.0.0.1')
    upstream.on('error', () => client.destroy())
    client.once('close', () => upstream.destroy())
    client.pipe(upstream).pipe(client)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const url = new URL(server.url.reveal())
  url.port = String((relay.address() as AddressInfo).port)
  async function halt(): Promise<void> {
    await server?.stop()
    server = undefined
    for (const socket of sockets) socket.destroy()
  }
  async function resume(): Promise<void> {
    server = await startPostgres({ dataDirectory: data.path })
  }
  return {
    url: new Secret(url.href),
    halt,
    resume,
    async restart() {
      await halt()
      await resume()
    },
    async stop() {
      relay.close()
      for (const socket of sockets) socket.destroy()
      await server?.discard()
      await data.remove()
    },
  }
}
