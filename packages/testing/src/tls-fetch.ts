import { request } from 'node:https'
import type { OwnCertificate } from './client-certificates.ts'

/**
 * A `fetch` over TLS that trusts `authority` and presents `own`, with certificates of its chain behind it, on a connection for
 * each request. Takes what clients of OAuth send: a text or a form as body, and no redirect is followed.
 */
export function createTlsFetch(
  authority: string,
  own?: OwnCertificate,
  chain: readonly OwnCertificate[] = [],
) {
  const cert = own && [own, ...chain].map(({ cert: pem }) => pem).join('\n')
  return (url: string | URL, init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { method = 'GET', body, headers } = init
      const form = body instanceof URLSearchParams
      const all = new Headers(headers ?? {})
      if (form) all.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
      const sent = request(url, {
        method,
        headers: Object.fromEntries(all),
        ca: authority,
        agent: false,
        ...(own && { cert, key: own.key }),
      })
      sent.on('error', reject)
      sent.on('response', async (response) => {
        try {
          const chunks: Buffer[] = []
          for await (const chunk of response) chunks.push(chunk as Buffer)
          const { statusCode: status = 0 } = response
          const received = new Headers()
          for (let n = 0; n < response.rawHeaders.length; n += 2)
            received.append(response.rawHeaders[n] ?? '', response.rawHeaders[n + 1] ?? '')
          resolve(new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: received }))
        } catch (error) {
          reject(error)
        }
      })
      sent.end(form ? body.toString() : (body as string | undefined))
    })
}

export type TlsFetch = ReturnType<typeof createTlsFetch>
