import { TLSSocket } from 'node:tls'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import type { ServiceName } from '@signet/platform/process/service'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Certificates, makeCertificates } from '../src/certificates/make-certificates.ts'
import { rpcClient } from '../src/client.ts'
import { CredentialService } from '../src/gen/signet/directory/v1/credential_service_pb.ts'
import { type RunningGrpcServer, startGrpcServer } from '../src/grpc-server.ts'
import { type GrpcTransport, type GrpcTransportOptions, grpcTransport } from '../src/grpc-transport.ts'
import { rpcService } from '../src/service.ts'
import type { TlsIdentity } from '../src/tls-identity.ts'

const METHOD = '/signet.directory.v1.CredentialService/VerifyPassword'
const callers: ServiceName[] = []
const directory = rpcService(CredentialService, {
  findAttemptKey: async () => ({}),
  async verifyPassword({ loginName }, { caller }) {
    callers.push(caller)
    return { account: { userId: loginName } }
  },
  verifyTotp: async () => ({}),
  verifyRecoveryCode: async () => ({}),
  verifyPasskey: async () => ({}),
})

const PREFIX = 'spiffe://example.org/ns/identity/release/signet'

let suite: Certificates
let foreign: Certificates
let server: RunningGrpcServer
let strict: RunningGrpcServer
const opened: GrpcTransport[] = []

function identity({ ca, services }: Certificates, name: ServiceName): TlsIdentity {
  const { certificate, privateKey } = services[name]
  return { ca: Buffer.from(ca), certificate: Buffer.from(certificate), privateKey: Buffer.from(privateKey) }
}

function callAs(caller: ServiceName, tls: TlsIdentity, options: Partial<GrpcTransportOptions> = {}) {
  const transport = grpcTransport({
    address: `127.0.0.1:${server.port}`,
    caller,
    callee: 'directory',
    tls,
    ...options,
  })
  opened.push(transport)
  return rpcClient(CredentialService, transport).verifyPassword({ loginName: 'alice' }, { timeoutMs: 3_000 })
}

/** The calls that a client other than ours can make. */
function rawCall(channel: ReturnType<typeof credentials.createSsl>): Promise<number> {
  const client = new Client(`127.0.0.1:${server.port}`, channel, {
    'grpc.ssl_target_name_override': 'directory',
  })
  return new Promise((resolve) => {
    const bytes = (value: Buffer) => value
    const options = { deadline: Date.now() + 3_000 }
    client.makeUnaryRequest(METHOD, bytes, bytes, Buffer.alloc(0), new Metadata(), options, (error) => {
      client.close()
      resolve(error?.code ?? 0)
    })
  })
}
const UNAVAILABLE = 14

beforeAll(async () => {
  const validity = { now: new Date(), days: 1 }
  suite = await makeCertificates({ ...validity, trustPrefix: PREFIX })
  foreign = await makeCertificates(validity)
  server = await start(identity(suite, 'directory'))
  const bundle = Buffer.from(suite.ca + foreign.ca)
  strict = await start({ ...identity(suite, 'directory'), ca: bundle, trustPrefix: PREFIX })
})

function start(tls: TlsIdentity): Promise<RunningGrpcServer> {
  return startGrpcServer({
    services: [directory],
    host: '127.0.0.1',
    port: 0,
    tls,
    onFailure: (_, error) => expect.unreachable(String(error)),
  })
}
afterAll(async () => {
  for (const transport of opened) transport.close()
  await Promise.all([server.stop(1_000), strict.stop(1_000)])
})

describe('mTLS between services', () => {
  it('accepts the right certificate; its common name is the caller, whichever name the header has', async () => {
    const answer = await callAs('keys', identity(suite, 'login'))
    expect(answer.account?.userId).toBe('alice')
    expect(callers).toEqual(['login'])
  })

  it('the certificate of another service gets PERMISSION_DENIED, also when it says that it is login', async () => {
    callers.length = 0
    await expect(callAs('login', identity(suite, 'introspection'))).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('introspection may not call'),
    })
    expect(callers).toEqual([])
  })

  it('a certificate of another authority is refused by the server', async () => {
    const impostor = { ...identity(foreign, 'login'), ca: Buffer.from(suite.ca) }
    await expect(callAs('login', impostor)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('a server of another authority is refused by the client', async () => {
    const client = { ...identity(suite, 'login'), ca: Buffer.from(foreign.ca) }
    await expect(callAs('login', client)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('a server that holds the certificate of another service is refused by the client', async () => {
    await expect(callAs('login', identity(suite, 'login'), { callee: 'keys' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })

  it('no certificate is refused, and so is plaintext', async () => {
    expect(await rawCall(credentials.createSsl(Buffer.from(suite.ca)))).toBe(UNAVAILABLE)
    expect(await rawCall(credentials.createInsecure())).toBe(UNAVAILABLE)
    expect(callers).toEqual([])
  })

  it('with a trust prefix the caller is the service of the URI', async () => {
    callers.length = 0
    const address = `127.0.0.1:${strict.port}`
    await callAs('keys', identity(suite, 'login'), { address })
    expect(callers).toEqual(['login'])
  })

  it('with a trust prefix a certificate with the right common name and another URI is refused', async () => {
    callers.length = 0
    const client = { ...identity(foreign, 'login'), ca: Buffer.from(suite.ca) }
    await expect(callAs('login', client, { address: `127.0.0.1:${strict.port}` })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: `the client certificate has no URI of a service under ${PREFIX}`,
    })
    expect(callers).toEqual([])
  })

  it('plaintext leaves no machine', () => {
    for (const address of ['keys:9090', '10.0.0.1:9090', '127.0.0.1:9090,10.0.0.1:9090']) {
      expect(() => grpcTransport({ address, caller: 'login', callee: 'keys' })).toThrow('needs certificates')
    }
  })
})

it('reads the certificate of a caller once for each connection', async () => {
  const read = vi.spyOn(TLSSocket.prototype, 'getPeerCertificate')
  const clientOf = (caller: ServiceName) => {
    const address = `127.0.0.1:${server.port}`
    const transport = grpcTransport({ address, caller, callee: 'directory', tls: identity(suite, caller) })
    opened.push(transport)
    return rpcClient(CredentialService, transport)
  }
  const [login, token] = [clientOf('login'), clientOf('token')]
  const options = { timeoutMs: 3_000 }
  callers.length = 0
  await login.verifyPassword({ loginName: 'alice' }, options)
  await expect(token.verifyPassword({ loginName: 'alice' }, options)).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
  })
  // Clients that earlier tests had refused connect again meanwhile, by sockets of their own.
  const known = [...read.mock.contexts]
  for (let call = 0; call < 4; call += 1) await login.verifyPassword({ loginName: 'alice' }, options)
  await expect(token.verifyPassword({ loginName: 'alice' }, options)).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
  })
  const later = read.mock.contexts.slice(known.length)
  expect(known.length).toBeGreaterThan(0)
  expect(later.filter((socket) => known.includes(socket)).length).toBe(0)
  expect(callers).toEqual(Array.from({ length: 5 }, () => 'login'))
  read.mockRestore()
})
