// The port that asks clients for certificates (RFC 8705), of a service or of the process with all of them.

import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { isServedOverMutualTls } from '@signet/protocol/routes'
import type { MutualTlsListenerConfig } from '../config/mutual-tls-settings.ts'
import type { Logger } from '../logger/logger.ts'
import { type HttpListener, listenHttp } from './http-listener.ts'

interface MutualTlsListenerOptions {
  readonly listener: RequestListener
  readonly host: string
  readonly logger: Logger
  /** How often the files are read again; ten seconds when left out. */
  readonly everyMs?: number
}

export type MutualTlsListener = Pick<HttpListener, 'port' | 'endConnections' | 'close'>

/**
 * Listens with the certificate of the files, and uses another one for new connections once they change. Connections that were
 * accepted before go on: each request verifies the certificate of its connection again.
 */
export async function startMutualTlsListener(
  { port, files }: MutualTlsListenerConfig,
  { listener, host, logger, everyMs }: MutualTlsListenerOptions,
): Promise<MutualTlsListener> {
  const http = await listenHttp({
    listener: createMutualTlsRouter(listener),
    host,
    port,
    tls: { ...files.current, asksForCertificate: true },
  })
  const forget = files.onRenewal(() => http.renew(files.current))
  const renewals = files.watch(logger, everyMs)
  return {
    port: http.port,
    endConnections: http.endConnections,
    async close(deadlineMs) {
      forget()
      const [inTime] = await Promise.all([http.close(deadlineMs), renewals.stop()])
      return inTime
    },
  }
}

/** Connections that were asked for a certificate in this process. */
const asked = new WeakSet<Socket>()

/**
 * Whether the connection was asked for a certificate here. Headers of proxies do not count on it: a proxy that passes TLS through
 * writes none, so the client wrote them itself.
 */
export const wasAskedForCertificate = (socket: Socket): boolean => asked.has(socket)

/** Serves the paths of clients and APIs alone: pages belong to the origin of the issuer. */
export function createMutualTlsRouter(listener: RequestListener): RequestListener {
  return (req, res) => {
    asked.add(req.socket)
    const [path = ''] = (req.url ?? '').split('?', 1)
    if (isServedOverMutualTls(path)) return listener(req, res)
    res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
    res.end('Only endpoints for clients with certificates are served here.\n')
  }
}
