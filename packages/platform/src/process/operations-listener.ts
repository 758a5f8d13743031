import type { RequestListener } from 'node:http'

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/**
 * `/healthz`: the process runs. `/readyz`: it can serve, or 503 with the names of what it waits for. `/metrics`: its
 * numbers, in the text format of Prometheus. For a port of its own that is not public.
 */
export function operationsListener(
  notReady: () => Promise<readonly string[]>,
  metricsText: () => Promise<string>,
): RequestListener {
  const answers: Record<string, () => Promise<Answer>> = {
    '/healthz': async () => json(200, { alive: true }),
    '/metrics': async () => ({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      body: await metricsText(),
    }),
    '/readyz': async () => {
      const missing = await notReady()
      return json(missing.length === 0 ? 200 : 503, { ready: missing.length === 0, notReady: missing })
    },
  }
  return (req, res) => {
    const answer = answers[req.url ?? ''] ?? (async () => json(404, {}))
    const send = ({ status, type, body }: Answer) => {
      res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
    }
    answer().then(send, () => send(json(503, { ready: false, notReady: ['readiness check'] })))
  }
}

function json(status: number, body: object): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
