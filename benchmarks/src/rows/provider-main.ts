// The identity provider of the row `sign-in-provider`, on a thread of its own: it shares no event loop with the generator.

import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'
import { startHttpServer } from '@signet/testing/http-server'
import { signJws } from '@signet/tokens/keys/sign-jws'
import type { ProviderThread } from './provider-thread.ts'

const { clientId, took } = workerData as ProviderThread
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const alg = 'ES256'
const key = { kid: 'bench', alg, privateKey } as const
let issuer = ''

const answers: Readonly<Record<string, (req: IncomingMessage) => unknown>> = {
  '/.well-known/openid-configuration': () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [alg],
  }),
  '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: key.kid, alg, use: 'sig' }] }),
  '/token': redeem,
}

/** Signs the ID token that a code describes, and notes the time from the request to its response. */
async function redeem(req: IncomingMessage): Promise<object> {
  const begunAt = performance.now()
  const { nonce, lane } = JSON.parse(new URLSearchParams(await text(req)).get('code') ?? '{}')
  const sub = `person-${lane}`
  const iat = Math.floor(Date.now() / 1_000)
  const claims = { iss: issuer, aud: clientId, sub, nonce, iat, exp: iat + 60, preferred_username: sub }
  const id_token = await signJws(key, 'JWT', claims)
  took[lane] = performance.now() - begunAt
  return { access_token: sub, token_type: 'Bearer', expires_in: 60, id_token }
}

const server = await startHttpServer((req: IncomingMessage, res: ServerResponse) => {
  const answer = answers[req.url ?? '']
  Promise.resolve(answer?.(req)).then(
    (body) => {
      res.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      res.end(JSON.stringify(body ?? {}))
    },
    (error: unknown) => res.destroy(error as Error),
  )
})
issuer = server.url
parentPort?.postMessage(issuer)
