import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCertificateAuthority, type OwnCertificate } from '@signet/testing/client-certificates'
import { freePort } from '@signet/testing/free-port'
import {
  registerWorkload,
  type SpireAgent,
  type SpireServer,
  startDiscoveryProvider,
  startSpireAgent,
  startSpireServer,
} from '@signet/testing/spire'
import { createDataDirectory } from '@signet/testing/system/installation'
import { signetCommand } from '@signet/testing/system/signet-command'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN, bootstrapDocument } from '@signet/testing/system/test-directory'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { createTlsFetch } from '@signet/testing/tls-fetch'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { OWNERS } from './assertion-owners.ts'

// Workloads that SPIRE attests get tokens of Signet with their SVIDs, and no stored secret.

/** Signet forgives a difference of clocks of a minute. */
const EXPIRED_AFTER_MS = 70_000
const SHORT_LIVED_SECONDS = 5

const opened = new AsyncDisposableStack()
let spire: SpireServer
let agent: SpireAgent
let issuer: string
let signet: StandaloneSystem
let servers: OwnCertificate
let mtlsOrigin: string
let shortLived: { readonly svid: string; readonly at: number }

const open = async <T extends { stop(): Promise<unknown> }>(running: Promise<T>): Promise<T> => {
  const started = await running
  opened.defer(async () => void (await started.stop()))
  return started
}

beforeAll(async () => {
  const folder = await temporaryFolder('spire-signet')
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const authority = await createCertificateAuthority('CN=Servers')
  servers = authority
  const own = await authority.issue({
    subject: 'CN=localhost',
    names: [{ type: 'dns', value: 'localhost' }],
  })
  issuer = `https://localhost:${await freePort()}`
  const server = await open(startSpireServer({ trustDomain: 'shop.example', issuer }))
  spire = server
  await registerWorkload(spire, 'orders')
  await registerWorkload(spire, 'payments')
  await registerWorkload(spire, 'short', { jwtSeconds: SHORT_LIVED_SECONDS })
  await registerWorkload(spire, 'of-another-user', { user: 54_321 })
  agent = await open(startSpireAgent(server))
  await open(startDiscoveryProvider(server, issuer, own, authority.cert))
  const mtlsPort = await freePort()
  mtlsOrigin = `https://localhost:${mtlsPort}`
  const files = {
    authorities: join(folder, 'servers.pem'),
    clients: join(folder, 'bundle.pem'),
    cert: join(folder, 'mtls.pem'),
    key: join(folder, 'mtls.key'),
  }
  await writeFile(files.authorities, authority.cert)
  await writeFile(files.clients, await spire.run('bundle', 'show'))
  await writeFile(files.cert, own.cert)
  await writeFile(files.key, own.key)
  const data = await createDataDirectory()
  opened.defer(() => data.remove())
  signet = await open(
    startSystem({
      mode: 'standalone',
      data,
      document: directory(),
      env: {
        ...{ NODE_EXTRA_CA_CERTS: files.authorities, SIGNET_MTLS_CLIENT_CA: files.clients },
        ...{ SIGNET_MTLS_ORIGIN: mtlsOrigin, SIGNET_MTLS_PORT: `${mtlsPort}` },
        ...{ SIGNET_MTLS_CERT: files.cert, SIGNET_MTLS_KEY: files.key },
      },
    }),
  )
  // The agent learns of entries every five seconds.
  const svid = await vi.waitFor(() => svidOf('short'), { timeout: 30_000, interval: 500 })
  shortLived = { svid, at: performance.now() }
  await uploadBundle()
}, 240_000)
afterAll(() => opened.disposeAsync())

/** A service user and an application whose trusts read the keys by discovery, and two whose bundle is uploaded. */
function directory() {
  const trusts = ['orders', 'short'].map((name) => ({ id: name, issuer, subject: spire.id(name) }))
  const application = (id: string, more: object) => ({
    ...{ id, clientId: id, name: id, type: 'api', grantTypes: ['client_credentials'] },
    ...more,
  })
  return bootstrapDocument({
    serviceUsers: [
      { id: 'discovered', userName: 'discovered', name: 'discovered', trustedIssuers: trusts },
      { id: 'uploaded', userName: 'uploaded', name: 'uploaded' },
    ],
    moreApplications: [
      application('discovered-application', { authMethod: 'private_key_jwt', trustedIssuers: trusts }),
      application('uploaded-application', { authMethod: 'private_key_jwt' }),
      application('by-certificate', {
        authMethod: 'tls_client_auth',
        tlsClientAuthSanUri: spire.id('orders'),
      }),
    ],
  })
}

/** Trusts the bundle of the trust domain as `spire-server` prints it. */
async function uploadBundle(): Promise<void> {
  const folder = await temporaryFolder('spire-bundle')
  const file = join(folder, 'bundle.json')
  await writeFile(file, await spire.run('bundle', 'show', '-format', 'spiffe'))
  for (const owner of [
    ['--user', 'uploaded'],
    ['--application', 'uploaded-application'],
  ])
    for (const name of ['orders', 'short'])
      await signetCommand(
        [
          ...['trust', 'add', 'spiffe', ...owner, '--id', name, '--issuer', issuer],
          ...['--spiffe-id', spire.id(name), '--key-set', file],
        ],
        { issuer: signet.issuer, token: ADMIN_TOKEN },
      )
  await rm(folder, { recursive: true, force: true })
}

const svidOf = (name: string, audience = 'https://signet') =>
  agent.jwt(spire.id(name), audience === 'https://signet' ? signet.issuer : audience)

const partOf = (svid: string, index: 0 | 1) =>
  JSON.parse(Buffer.from(svid.split('.')[index] ?? '', 'base64url').toString())
const headerOf = (svid: string): { readonly kid: string } => partOf(svid, 0)
const claimsOf = (svid: string) => partOf(svid, 1)

/** Starts the server of another trust domain, and returns a JWT-SVID that it signs. */
async function foreignSvid(options: { readonly trustDomain: string; readonly issuer: string }, id: string) {
  await using foreign = new AsyncDisposableStack()
  const server = await startSpireServer(options)
  foreign.defer(() => server.stop())
  return await server.mint(id, signet.issuer)
}

describe.each(Object.entries(OWNERS))('with a JWT-SVID %s', (_, authenticate) => {
  it.each([
    ['by the OIDC discovery provider of SPIRE', 'discovered'],
    ['by its bundle, uploaded', 'uploaded'],
  ])('authenticates with keys %s', async (_way, owner) => {
    const svid = await svidOf('orders')
    expect(claimsOf(svid)).toMatchObject({ iss: issuer, sub: 'spiffe://shop.example/orders' })
    expect(await authenticate(signet, owner, svid)).toMatchObject({ status: 200, type: 'Bearer' })
  })

  it.each<[fault: string, make: () => Promise<string>, rule: string]>([
    ['of another workload', () => svidOf('payments'), 'differ'],
    ['for another audience', () => svidOf('orders', 'https://else.example'), 'aud must be'],
    ['for two audiences', () => svidOf('orders', `${signet.issuer},https://else.example`), 'aud must be'],
  ])('is refused with one %s', async (_fault, make, rule) => {
    const svid = await make()
    for (const owner of ['uploaded', 'discovered']) await expectRefusal(owner, svid, rule)
  })

  it('is refused with those of other trust domains', async () => {
    const other = 'spiffe://other.example/orders'
    const own = { trustDomain: 'other.example', issuer: 'https://spire.other.example' }
    const svids = [
      [await foreignSvid(own, other), 'not an issuer that is trusted'],
      [await foreignSvid({ ...own, issuer }, other), 'differ'],
      // A server that takes the name of the trust domain, and has other keys.
      [await foreignSvid({ trustDomain: 'shop.example', issuer }, spire.id('orders')), 'kid does not name'],
    ] as const
    for (const owner of ['uploaded', 'discovered'])
      for (const [svid, rule] of svids) await expectRefusal(owner, svid, rule)
  })

  it('is refused with an expired one', async () => {
    const waitMs = shortLived.at + EXPIRED_AFTER_MS - performance.now()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)))
    for (const owner of ['uploaded', 'discovered']) await expectRefusal(owner, shortLived.svid, 'expired')
  })

  async function expectRefusal(owner: string, svid: string, rule: string) {
    const { status, rule: given } = await authenticate(signet, owner, svid)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(given).toContain(rule)
  }
})

describe('with an X.509-SVID', () => {
  const token = async (own?: Pick<OwnCertificate, 'cert' | 'key'>) => {
    const call = createTlsFetch(servers.cert, own as OwnCertificate | undefined)
    const form = { grant_type: 'client_credentials', client_id: 'by-certificate' }
    const response = await call(`${mtlsOrigin}/oauth/v2/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    return { status: response.status, ...((await response.json()) as { token_type?: string }) }
  }

  it('an application authenticates by its SPIFFE ID', async () => {
    expect(await token(await agent.x509(spire.id('orders')))).toMatchObject({
      ...{ status: 200, token_type: 'Bearer' },
    })
  })

  it('it is refused with that of another workload, and without', async () => {
    expect(await token(await agent.x509(spire.id('payments')))).toMatchObject({ status: 401 })
    expect(await token()).toMatchObject({ status: 401 })
  })
})

it('gives programs of another user no SVID of that workload', async () => {
  await expect(svidOf('of-another-user')).rejects.toThrow(/no identity issued|PermissionDenied/)
})

it('follows SPIRE to its next key, and takes the SVIDs of the key before', async () => {
  const before = await svidOf('orders')
  expect(await OWNERS['a service user'](signet, 'discovered', before)).toMatchObject({ status: 200 })
  const retired = await spire.rotateJwtKey()
  const after = await spire.mint(spire.id('orders'), signet.issuer)
  expect(headerOf(after).kid).not.toBe(headerOf(before).kid)
  expect(headerOf(before).kid).toBe(retired)
  for (const authenticate of Object.values(OWNERS)) {
    // Signet asks for the key of an unknown kid once a minute at most.
    await expect
      .poll(() => authenticate(signet, 'discovered', after), { timeout: 90_000, interval: 1_000 })
      .toMatchObject({ status: 200 })
    expect(await authenticate(signet, 'discovered', before)).toMatchObject({ status: 200 })
    expect((await authenticate(signet, 'uploaded', after)).rule).toContain('kid does not name')
  }
  // The agent replaces its SVIDs when their key is tainted.
  await spire.run('localauthority', 'jwt', 'taint', '-authorityID', retired)
  await expect.poll(async () => headerOf(await svidOf('orders')).kid).toBe(headerOf(after).kid)
  expect(await OWNERS['a service user'](signet, 'discovered', await svidOf('orders'))).toMatchObject({
    status: 200,
  })
})
