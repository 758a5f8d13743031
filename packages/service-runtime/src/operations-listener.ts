import type { RequestListener } from 'node:http'

/**
 * `/healthz`: the process runs. `/readyz`: it can serve, or 503 with the names of what it waits for. For a port of
 * its own that is not public.
 */
export function operationsListener(notReady: () => Promise<readonly string[]>): RequestListener {
  const answers: Record<string, () => Promise<{ status: number; body: object }>> = {
    '/healthz': async () => ({ status: 200, body: { alive: true } }),
    '/readyz': async () => {
      const missing = await notReady()
      return {
        status: missing.length === 0 ? 200 : 503,
        body: { ready: missing.length === 0, notReady: missing },
      }
    },
  }
  return (req, res) => {
    const answer = answers[req.url ?? ''] ?? (async () => ({ status: 404, body: {} }))
    const send = ({ status, body }: { status: number; body: object }) => {
      res
        .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
        .end(JSON.stringify(body))
    }
    answer().then(send, () => send({ status: 503, body: { ready: false, notReady: ['readiness check'] } }))
  }
}
