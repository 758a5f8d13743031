import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type ExportedSpan, readExport } from './exported-spans.ts'

/** Takes traces over OTLP/HTTP and keeps them. */
export interface TraceCollector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string
  spans(): readonly ExportedSpan[]
  /** Everything that was sent, as it came. */
  bytes(): Buffer
  close(): Promise<void>
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const bodies: Buffer[] = []
  const server = createServer(async (req, res) => {
    if (req.url === '/v1/traces') bodies.push(await buffer(req))
    else res.statusCode = 404
    res.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(readExport),
    bytes: () => Buffer.concat(bodies),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
