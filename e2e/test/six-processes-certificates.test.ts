// RFC 8705 over six processes, each with a port of its own that asks for certificates.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '@signet/platform/process/service'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createSelfSigned,
  type OwnCertificate,
} from '@signet/testing/client-certificates'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument, REDIRECT_URI } from '@signet/testing/system/test-directory'
import { createTlsFetch } from '@signet/testing/tls-fetch'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ORIGIN = 'https://{service}.mtls.localhost'
const API_SCOPE = 'openid urn:service:iam:org:project:id:signet:aud'

const folder = mkdtempSync(join(tmpdir(), 'signet-mtls-'))
let system: ProcessSystem
let servers: CertificateAuthority
let client: OwnCertificate

beforeAll(async () => {
  servers = await createCertificateAuthority('CN=Servers')
  const clients = await createCertificateAuthority('CN=Clients')
  client = await clients.issue({ subject: 'O=Example, CN=payments' })
  const server = await servers.issue({
    subject: 'CN=localhost',
    names: [{ type: 'dns', value: 'localhost' }],
  })
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  system = await startSystem({
    mode: 'processes',
    document: bootstrapDocument({
      moreApplications: [
        {
          id: 'payments',
          clientId: 'payments',
          name: 'payments',
          type: 'web',
          authMethod: 'tls_client_auth',
          tlsClientAuthSubjectDn: 'CN=payments,O=Example',
          tlsClientCertificateBoundAccessTokens: true,
          redirectUris: [REDIRECT_URI],
          responseTypes: ['code'],
          firstParty: true,
          mayCallApi: true,
        },
      ],
    }),
    mutualTls: {
      origin: ORIGIN,
      certificate: write('server.pem', server.cert),
      privateKey: write('server.key', server.key),
    },
    env: { SIGNET_MTLS_CLIENT_CA: write('clients.pem', clients.cert) },
  })
}, 120_000)
afterAll(async () => {
  await system?.stop()
  rmSync(folder, { recursive: true })
}, 60_000)

/** Calls the port of a service that asks for certificates. */
async function call(service: ServiceName, path: string, init: RequestInit, own?: OwnCertificate) {
  const url = `https://localhost:${system.replica(service).ports.mutualTls}${path}`
  const response = await createTlsFetch(servers.cert, own)(url, init)
  const text = await response.text()
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : {} }
}

const post = (form: Record<string, string>): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams({ client_id: 'payments', ...form }),
})

it('a client pushes a request, gets a token by its certificate, and uses it with the certificate alone', async () => {
  const pushed = { response_type: 'code', redirect_uri: REDIRECT_URI, scope: API_SCOPE }
  expect(await call('login', '/oauth/v2/par', post(pushed))).toMatchObject({ status: 401 })
  expect(await call('login', '/oauth/v2/par', post(pushed), client)).toMatchObject({ status: 201 })

  const { code, verifier } = await system.code({ clientId: 'payments', scope: API_SCOPE })
  const redemption = post({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
  })
  const other = await createSelfSigned({ subject: 'O=Example, CN=payments' })
  expect(await call('token', '/oauth/v2/token', redemption)).toMatchObject({ status: 401 })
  expect(await call('token', '/oauth/v2/token', redemption, other)).toMatchObject({ status: 401 })
  const { status, json } = await call('token', '/oauth/v2/token', redemption, client)
  expect([status, json.token_type]).toEqual([200, 'Bearer'])

  const bearer = { headers: { authorization: `Bearer ${json.access_token}` } }
  for (const [service, path] of [
    ['introspection', '/oidc/v1/userinfo'],
    ['directory', '/management/v1/organizations'],
    ['keys', '/management/v1/keys'],
    ['migration', '/admin/v1/jobs'],
  ] as const) {
    const answers = [client, other, undefined].map((own) => call(service, path, bearer, own))
    const [own, foreign, none] = await Promise.all(answers)
    expect([200, 403], path).toContain(own?.status)
    expect([foreign?.status, none?.status], path).toEqual([401, 401])
    expect((await system.fetch(path, bearer)).status, path).toBe(401)
  }
})

it('the port of a service serves no page, and no path of another service', async () => {
  expect(await call('login', '/ui/login', {}, client)).toMatchObject({ status: 404 })
  expect(await call('token', '/oidc/v1/userinfo', {}, client)).toMatchObject({ status: 404 })
})

it('discovery names the host of each service', async () => {
  const { json } = await system.fetch('/.well-known/openid-configuration')
  expect(json.mtls_endpoint_aliases).toMatchObject({
    token_endpoint: 'https://token.mtls.localhost/oauth/v2/token',
    userinfo_endpoint: 'https://introspection.mtls.localhost/oidc/v1/userinfo',
    pushed_authorization_request_endpoint: 'https://login.mtls.localhost/oauth/v2/par',
  })
})
