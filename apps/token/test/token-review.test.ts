import { generateKeyPairSync } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startHttpServer } from '@signet/testing/http-server'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument, REDIRECT_URI } from '@signet/testing/system/test-directory'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

// The API server of a cluster is asked wherever the token of one of its pods is presented.

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const CLIENT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const CLUSTER = 'https://kubernetes.default.svc.cluster.local'
const OTHER = 'https://other.default.svc.cluster.local'
const SUBJECT = 'system:serviceaccount:shop:orders'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keySet = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'c1' }] }

const cluster = { reviews: 0, code: 201, isAlive: true }
let server: Awaited<ReturnType<typeof startHttpServer>>
let folder: string
let system: InProcessSystem

beforeAll(async () => {
  folder = await temporaryFolder('token-review')
  const tokenFile = join(folder, 'token')
  await writeFile(tokenFile, 'of-signet')
  server = await startHttpServer((req, res) => {
    cluster.reviews++
    const user = { username: SUBJECT }
    const status = { authenticated: cluster.isAlive, audiences: [system.issuer], user }
    req.resume().on('end', () => res.writeHead(cluster.code).end(JSON.stringify({ status })))
  })
  const trustedIssuers = [CLUSTER, OTHER].map((issuer, index) => ({
    ...{ id: `trust-${index}`, issuer, subject: SUBJECT, keySet },
  }))
  const application = {
    ...{ id: 'orders-web', clientId: 'orders-web', name: 'Orders', type: 'web', trustedIssuers },
    ...{ authMethod: 'private_key_jwt', redirectUris: [REDIRECT_URI] },
    grantTypes: ['authorization_code', 'client_credentials'],
  }
  system = await startSystem({
    mode: 'in-process',
    document: bootstrapDocument({
      serviceUsers: [{ id: 'orders', userName: 'orders', name: 'Orders', trustedIssuers }],
      moreApplications: [application],
    }),
    tokenReviews: [{ issuer: CLUSTER, url: server.url, tokenFile }],
  })
}, 60_000)
beforeEach(() => Object.assign(cluster, { reviews: 0, code: 201, isAlive: true }))
afterAll(async () => {
  await system?.stop()
  await server?.stop()
  await rm(folder, { recursive: true })
})

let tokens = 0
/** Each one differs, so that no answer of before is kept for it. */
function projected({ iss = CLUSTER, sub = SUBJECT } = {}): Promise<string> {
  const iat = Math.floor(system.clock.now().getTime() / 1000)
  tokens += 1
  const claims = { iss, sub, aud: [system.issuer], iat, exp: iat + 3_600, jti: `token-${tokens}` }
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'c1' }).sign(privateKey)
}

const client = (assertion: string) => ({
  ...{ client_id: 'orders-web', client_assertion_type: CLIENT_ASSERTION },
  client_assertion: assertion,
})
const post = (path: string, form: Readonly<Record<string, string>>) =>
  system.post(path, form, { form: {}, headers: {} })

describe.each<[way: string, status: number, present: (assertion: string) => ReturnType<typeof post>]>([
  [
    'an assertion of a service user',
    200,
    (assertion) =>
      post('/oauth/v2/token', { grant_type: JWT_BEARER, client_id: 'orders', assertion, scope: 'openid' }),
  ],
  [
    'a request for a token',
    200,
    (assertion) => post('/oauth/v2/token', { grant_type: 'client_credentials', ...client(assertion) }),
  ],
  ['a revocation', 200, (assertion) => post('/oauth/v2/revoke', { token: 'text', ...client(assertion) })],
  [
    'an introspection',
    200,
    (assertion) => post('/oauth/v2/introspect', { token: 'text', ...client(assertion) }),
  ],
  [
    'a pushed request',
    201,
    (assertion) =>
      post('/oauth/v2/par', {
        ...{ response_type: 'code', scope: 'openid', redirect_uri: REDIRECT_URI },
        ...client(assertion),
      }),
  ],
])('%s', (_way, status, present) => {
  it('counts while the API server says so', async () => {
    expect(await present(await projected())).toMatchObject({ status })
    expect(cluster.reviews).toBe(1)
  })

  it('is refused when the API server no longer accepts the token', async () => {
    cluster.isAlive = false
    const { status: refused, json } = await present(await projected())
    expect(refused).toBeGreaterThanOrEqual(400)
    expect(refused).toBeLessThan(500)
    expect(json.error_description).toContain('no longer accepts it')
  })

  it('is refused for now while the API server is away', async () => {
    cluster.code = 500
    const { status: refused, json, headers } = await present(await projected())
    expect([refused, json.error]).toEqual([503, 'temporarily_unavailable'])
    expect(headers.get('retry-after')).toBe('1')
  })

  it('asks no API server about a token that is wrong already, or of another issuer', async () => {
    cluster.isAlive = false
    const wrong = await present(await projected({ sub: `${SUBJECT}2` }))
    expect(wrong.json.error_description).toContain('sub differ')
    expect(await present(await projected({ iss: OTHER }))).toMatchObject({ status })
    expect(cluster.reviews).toBe(0)
  })
})
