import type { Server, Socket } from 'node:net'

/**
 * Returns a function that cuts the connections that have not finished their handshake: they have no request, and the server counts
 * them among those for whose end it waits.
 */
export function startHandshakeTracking(server: Server): () => void {
  const waiting = new Map<string, Socket>()
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    waiting.set(name, socket)
    socket.once('close', () => {
      if (waiting.get(name) === socket) waiting.delete(name)
    })
  })
  server.on('secureConnection', (socket: Socket) => waiting.delete(nameOf(socket)))
  return () => {
    for (const socket of waiting.values()) socket.destroy()
  }
}
