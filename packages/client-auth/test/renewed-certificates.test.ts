// Files of certificates that change while the port that asks for certificates is open.

import type { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { BlockList, connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { createHttpApp } from '@signet/http/app'
import { clientCertificate } from '@signet/http/client-certificate'
import { jsonAnswer } from '@signet/http/endpoint'
import { oauthErrorHandler } from '@signet/http/oauth-error-handler'
import { clientAddress } from '@signet/http/request-context'
import { mutualTls, mutualTlsListener } from '@signet/platform/config/mutual-tls-settings'
import { silentLogger } from '@signet/platform/logger/logger'
import { startMutualTlsListener } from '@signet/platform/process/mutual-tls-listener'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type OwnCertificate,
} from '@signet/testing/client-certificates'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createVerifyCertificate } from '../src/mutual-tls/verify-certificate.ts'
import { testClient } from './fixtures/clients.ts'

const EVERY_MS = 20
const DEADLINE_MS = 5_000
const PATH = '/oauth/v2/token'
const CLIENT = testClient({ authMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'CN=client' })
const SERVER = { subject: 'CN=localhost', names: [{ type: 'dns', value: 'localhost' }] } as const

const opened = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'signet-renewed-'))
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
let servers: CertificateAuthority
let clients: CertificateAuthority
let client: OwnCertificate
let url = ''
const warnings: string[] = []

beforeAll(async () => {
  opened.defer(async () => rmSync(folder, { recursive: true }))
  servers = await createCertificateAuthority('CN=Servers')
  clients = await createCertificateAuthority('CN=Clients')
  client = await clients.issue()
  const server = await servers.issue(SERVER)
  const settings = {
    SIGNET_MTLS_ORIGIN: 'https://localhost',
    SIGNET_MTLS_PORT: 0,
    SIGNET_MTLS_CERT: write('server.pem', server.cert),
    SIGNET_MTLS_KEY: write('server.key', server.key),
    SIGNET_MTLS_CLIENT_CA: write('clients.pem', clients.cert),
  }
  const certificates = mutualTls(settings, 'token')
  const config = mutualTlsListener(settings)
  if (certificates?.authorities === undefined || config === undefined) throw new Error('certificates are off')
  const renewals = certificates.authorities.watch(silentLogger, EVERY_MS)
  opened.defer(() => renewals.stop())
  const verify = createVerifyCertificate(certificates.authorities)
  const trustedProxies = new BlockList()
  trustedProxies.addAddress('127.0.0.1')
  const app = createHttpApp({
    logger: silentLogger,
    issuer: 'https://id.example.com',
    trustedProxies,
    clientCertificates: certificates,
    routes: [],
    endpoints: [
      {
        path: PATH,
        methods: {
          GET: (req) => {
            const presented = clientCertificate(req)
            const address = clientAddress(req)
            if (presented === undefined) return jsonAnswer({ address, reason: 'none' })
            try {
              verify(presented, CLIENT, 'tls_client_auth', new Date())
              return jsonAnswer({ address, reason: 'accepted' })
            } catch (error) {
              return jsonAnswer({ address, reason: (error as { reason?: string }).reason })
            }
          },
        },
      },
    ],
    onError: oauthErrorHandler(silentLogger),
  })
  const listener = await startMutualTlsListener(config, {
    listener: app,
    host: '127.0.0.1',
    logger: { ...silentLogger, warn: (event) => warnings.push(event) },
    everyMs: EVERY_MS,
  })
  opened.defer(async () => void (await listener.close(0)))
  url = `https://localhost:${listener.port}${PATH}`
})
afterAll(() => opened.disposeAsync())

interface Seen {
  readonly reason: string
  readonly address: string
  /** Fingerprint of the certificate of the server. */
  readonly server: string | undefined
  /** Tells connections apart. */
  readonly port: number | undefined
}

/** A client whose requests use one connection, as long as the server keeps it. */
function connect(
  own: OwnCertificate | undefined = client,
): (headers?: Record<string, string>) => Promise<Seen> {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 1,
    ca: servers.cert,
    cert: own?.cert,
    key: own?.key,
  })
  onTestFinished(() => agent.destroy())
  return (headers = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { agent, family: 4, headers }, async (response) => {
        const socket = response.socket as TLSSocket
        const { localPort: port } = socket
        const server = (socket.getPeerX509Certificate() as X509Certificate | undefined)?.fingerprint256
        let text = ''
        for await (const part of response.setEncoding('utf8')) text += part
        resolve({ ...(JSON.parse(text) as { reason: string; address: string }), server, port })
      })
      sent.on('error', reject)
      sent.end()
    })
}

it('serves new connections with a renewed certificate of the server, and goes on with the others', async () => {
  const kept = connect()
  const before = await kept()
  const renewed = await servers.issue(SERVER)
  write('server.key', renewed.key)
  write('server.pem', renewed.cert)
  await expect.poll(async () => (await connect()()).server).toBe(renewed.certificate.fingerprint256)
  expect(await kept()).toMatchObject({ reason: 'accepted', port: before.port })
})

it('keeps the certificate of the server while its files do not belong together', async () => {
  const { server } = await connect()()
  const other = await servers.issue(SERVER)
  write('server.key', other.key)
  await expect.poll(() => warnings).toEqual(['certificates_unusable'])
  expect(await connect()()).toMatchObject({ server, reason: 'accepted' })
  write('server.pem', other.cert)
  await expect.poll(async () => (await connect()()).server).toBe(other.certificate.fingerprint256)
})

it('refuses a client of a withdrawn authority on a connection that was accepted before', async () => {
  const kept = connect()
  const first = await kept()
  expect(first.reason).toBe('accepted')
  const next = await createCertificateAuthority('CN=Next')
  const own = connect(await next.issue())
  expect(await own()).toMatchObject({ reason: 'client_certificate_chain' })
  write('clients.pem', next.cert)
  await expect.poll(async () => (await kept()).reason).toBe('client_certificate_chain')
  expect((await kept()).port).toBe(first.port)
  expect(await own()).toMatchObject({ reason: 'accepted' })
  write('clients.pem', clients.cert)
  await expect.poll(async () => (await kept()).reason).toBe('accepted')
})

it('takes neither address nor certificate from headers, which the client wrote itself', async () => {
  const headers = {
    host: 'localhost',
    'x-forwarded-for': '203.0.113.9',
    'client-cert': `:${client.certificate.raw.toString('base64')}:`,
  }
  const agent = connect({ ...client, cert: '', key: '' })
  expect(await agent(headers)).toMatchObject({ reason: 'none', address: '127.0.0.1' })
})

it(
  'closes at once although a connection has not finished its handshake',
  async () => {
    const server = await servers.issue(SERVER)
    const config = mutualTlsListener({
      SIGNET_MTLS_ORIGIN: 'https://localhost',
      SIGNET_MTLS_PORT: 0,
      SIGNET_MTLS_CERT: write('closing.pem', server.cert),
      SIGNET_MTLS_KEY: write('closing.key', server.key),
    })
    if (config === undefined) throw new Error('the port is off')
    const listener = await startMutualTlsListener(config, {
      listener: (_, res) => res.end(),
      host: '127.0.0.1',
      logger: silentLogger,
    })
    const waiting = connectTcp(listener.port, '127.0.0.1').on('error', () => undefined)
    await once(waiting, 'connect')
    expect(await listener.close(DEADLINE_MS)).toBe(true)
  },
  DEADLINE_MS,
)
